# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A real, headless Chromium, driven over a pipe: no package is needed beside the browser.

The browser speaks the DevTools protocol on the descriptors 3 and 4: JSON, ended by a zero byte.
"""

from __future__ import annotations

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import time

TIMEOUT_S = 120
_NAMES = ("chromium", "chromium-browser", "google-chrome")


def binary():
    """Where the browser is, None when there is none."""
    return next((found for found in map(shutil.which, _NAMES) if found), None)


class Chromium:
    """One browser with one page.

    Attributes:
        events: Everything the page reported, in order: method and parameters.
    """

    def __init__(self, profile):
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # Out of the way of 3 and 4, which the child wants them to be.
        reads = fcntl.fcntl(theirs_in, fcntl.F_DUPFD_CLOEXEC, 10)
        writes = fcntl.fcntl(theirs_out, fcntl.F_DUPFD_CLOEXEC, 10)

        def connect():
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self._process = subprocess.Popen(
            [
                binary(),
                "--headless",
                "--no-sandbox",  # it refuses to run as root otherwise
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--force-color-profile=srgb",
                "--no-first-run",
                "--remote-debugging-pipe",
                f"--user-data-dir={profile}",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=connect,  # noqa: PLW1509 - no thread runs yet
            pass_fds=(3, 4),
        )
        for descriptor in (theirs_in, theirs_out, reads, writes):
            os.close(descriptor)
        self._in, self._out = ours_in, ours_out
        self._buffer = b""
        self._numbers = itertools.count(1)
        self._session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log", "Accessibility"):
            self.call(f"{domain}.enable")

    def open(self, url, width, scheme):
        """Show a page, in a window of that width and in the colours of that scheme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=media)
        self.events.clear()
        self.call("Page.navigate", url=url)
        while not any(method == "Page.loadEventFired" for method, _parameters in self.events):
            self._receive()

    def evaluate(self, expression):
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def screenshot(self, path):
        """The whole page as a picture."""
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(answer["data"]))

    def call(self, method, **parameters):
        """One command and its answer."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def close(self):
        """End the browser."""
        os.close(self._out)
        os.close(self._in)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)

    def _receive(self):
        deadline = time.monotonic() + TIMEOUT_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], deadline - time.monotonic())
            assert ready, f"Chromium said nothing for {TIMEOUT_S} s"
            data = os.read(self._in, 1 << 20)
            assert data, "Chromium is gone"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(line)
        if "method" in message:
            self.events.append((message["method"], message["params"]))
        return message

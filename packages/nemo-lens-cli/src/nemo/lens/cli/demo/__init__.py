# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The training job of `nemo-lens demo`: small, real, data-parallel, standard library only.

`penguins` reads the data, `perceptron` is the model, `process_group` moves gradients between
processes, `worker` is the training loop of one rank (and the example of how a consumer instruments
one), `launcher` starts the ranks and watches over them.
"""

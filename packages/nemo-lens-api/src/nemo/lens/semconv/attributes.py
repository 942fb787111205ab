# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# Generated from semconv/model by scripts/generate_semconv.py: edit the model, not this file.
# ruff: noqa: S105 - attributes that count tokens hold no passwords
"""Attribute names of the semantic conventions, one constant each."""

from typing import Final

__all__ = [
    "CONTAINER_ID",
    "DEPLOYMENT_ENVIRONMENT",
    "DEPLOYMENT_ENVIRONMENT_NAME",
    "DL_BATCH_SIZE",
    "DL_DATA_PARALLEL_RANK",
    "DL_DATA_PARALLEL_SIZE",
    "DL_GRAD_NORM",
    "DL_ITERATION",
    "DL_LEARNING_RATE",
    "DL_LOCAL_RANK",
    "DL_LOSS",
    "DL_MICROBATCH_ID",
    "DL_PIPELINE_PARALLEL_RANK",
    "DL_PIPELINE_PARALLEL_SIZE",
    "DL_RANK",
    "DL_SEQUENCE_LENGTH",
    "DL_TENSOR_PARALLEL_RANK",
    "DL_TENSOR_PARALLEL_SIZE",
    "DL_THROUGHPUT_TFLOPS",
    "DL_THROUGHPUT_TOKENS_PER_SEC",
    "DL_WORLD_SIZE",
    "EXCEPTION_ESCAPED",
    "EXCEPTION_MESSAGE",
    "EXCEPTION_STACKTRACE",
    "EXCEPTION_TYPE",
    "GENAI_OPERATION_NAME",
    "GENAI_PROVIDER_NAME",
    "GENAI_REQUEST_MODEL",
    "GENAI_TOKEN_TYPE",
    "GYM_NUM_SERVERS",
    "GYM_ROLLOUT_BATCH_SIZE",
    "GYM_SERVER_NAME",
    "GYM_SERVER_TYPE",
    "GYM_VERIFY_SUCCESS_RATE",
    "HOST_GPU_COUNT",
    "HOST_NAME",
    "INVERTED_DELTA_SECONDS",
    "INVERTED_END_EPOCH_SECONDS",
    "INVERTED_SKEW",
    "INVERTED_START_EPOCH_SECONDS",
    "K8S_CONTAINER_NAME",
    "K8S_JOB_NAME",
    "K8S_NAMESPACE_NAME",
    "K8S_NODE_NAME",
    "K8S_POD_NAME",
    "K8S_POD_UID",
    "NEMO_EXIT_CODE",
    "NEMO_LENS_QUEUE",
    "NEMO_LENS_REASON",
    "NEMO_LENS_VERSION",
    "NEMO_METRIC_NAME",
    "NEMO_MLFLOW_RUN_ID",
    "NEMO_MLFLOW_RUN_URL",
    "NEMO_RUN_ID",
    "NEMO_SPAN_CANCELLED",
    "NEMO_SPAN_GROUP",
    "NEMO_SPAN_OPEN_MARKER",
    "NEMO_SPAN_TRUNCATED",
    "NEMO_SPAN_TRUNCATED_REASON",
    "NEMO_USER_ID",
    "NEMO_WAIT",
    "NV_DL_JOB_UUID",
    "NV_DL_LAUNCH_CONTAINER_IMAGE",
    "NV_DL_LOCAL_RANK",
    "NV_DL_PROVIDER_NAME",
    "NV_DL_RANK",
    "NV_DL_ROLE",
    "NV_DL_RUN_UUID",
    "NV_DL_SOFTWARE_CUDA",
    "NV_DL_SOFTWARE_NCCL",
    "NV_DL_SOFTWARE_TORCH",
    "NV_DL_SOFTWARE_TRANSFORMER_ENGINE",
    "NV_DL_TOPOLOGY_SIZE_DP",
    "NV_DL_TOPOLOGY_SIZE_PP",
    "NV_DL_TOPOLOGY_SIZE_TP",
    "NV_DL_TRAINING_CONFIG_GLOBAL_BATCH_SIZE",
    "NV_DL_TRAINING_CONFIG_MICRO_BATCH_SIZE",
    "NV_DL_TRAINING_CONFIG_OPTIMIZER",
    "NV_DL_TRAINING_CONFIG_RECOMPUTE_GRANULARITY",
    "NV_DL_TRAINING_CONFIG_SEQUENCE_LENGTH",
    "NV_DL_TRAINING_TARGET_TRAIN_ITERS",
    "NV_DL_TRAINING_TARGET_TRAIN_SAMPLES",
    "NV_DL_TRAINING_TARGET_TRAIN_TOKENS",
    "NV_DL_WORLD_SIZE",
    "NV_GPU_COMPUTE_CAPABILITY",
    "NV_GPU_DRIVER_VERSION",
    "NV_GPU_INDEX",
    "NV_GPU_MEMORY_TOTAL",
    "NV_GPU_MODEL",
    "NV_GPU_PCI_BUS_ID",
    "NV_GPU_SERIAL",
    "NV_GPU_UUID",
    "PROCESS_PID",
    "RL_ALGORITHM",
    "RL_GENERATION_BACKEND",
    "RL_NUM_ROLLOUTS",
    "RL_REWARD",
    "SCHEMA_URL",
    "SEMCONV_VERSION",
    "SERVICE_INSTANCE_ID",
    "SERVICE_NAME",
    "SERVICE_VERSION",
    "SLURM_ARRAY_COUNT",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_SLUID",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_CLUSTER",
    "SLURM_CLUSTER_NAME",
    "SLURM_HEAD_NODE_NAME",
    "SLURM_JOB_ACCOUNT",
    "SLURM_JOB_ID",
    "SLURM_JOB_ID_RAW",
    "SLURM_JOB_NAME",
    "SLURM_JOB_QOS",
    "SLURM_JOB_RESERVATION",
    "SLURM_JOB_USER",
    "SLURM_NNODES",
    "SLURM_NODELIST",
    "SLURM_NTASKS",
    "SLURM_PARTITION",
    "SLURM_RESTART_COUNT",
    "SLURM_SEGMENT",
    "SLURM_SLUID",
    "SLURM_TOPOLOGY_ADDR",
    "SLURM_TOPOLOGY_ADDR_PATTERN",
    "SLURM_TORCHELASTIC_RESTART_COUNT",
    "WANDB_ENTITY",
    "WANDB_PROJECT",
    "WANDB_RUN_ID",
    "WANDB_RUN_URL",
]

SCHEMA_URL: Final = "https://docs.nvidia.com/nemo/lens/semconv/0.3.0"
"""Where these conventions are described."""

SEMCONV_VERSION: Final = "1.29.0"
"""The version of the OpenTelemetry conventions that upstream names are taken from."""

CONTAINER_ID: Final = "container.id"
"""The identifier that the container runtime gave to the container."""

DEPLOYMENT_ENVIRONMENT: Final = "deployment.environment"
"""The former name of deployment.environment.name. It is emitted beside the new name for dashboards
that still read it.
"""

DEPLOYMENT_ENVIRONMENT_NAME: Final = "deployment.environment.name"
"""The tier that the job runs in."""

DL_BATCH_SIZE: Final = "dl.batch_size"
"""The number of samples that the work covers."""

DL_DATA_PARALLEL_RANK: Final = "dl.data_parallel.rank"
"""The rank of this process in its data-parallel group, counted from 0."""

DL_DATA_PARALLEL_SIZE: Final = "dl.data_parallel.size"
"""The number of ranks in a data-parallel group."""

DL_GRAD_NORM: Final = "dl.grad_norm"
"""The norm of the gradients. It is a number that moves, so it belongs on a metric of the consumer
and never on a span.
"""

DL_ITERATION: Final = "dl.iteration"
"""The training iteration that the work belongs to. On a span of group step it says which step the
span is.
"""

DL_LEARNING_RATE: Final = "dl.learning_rate"
"""The learning rate of the step. It is a number that moves, so it belongs on a metric of the
consumer and never on a span.
"""

DL_LOCAL_RANK: Final = "dl.local_rank"
"""The rank of this process among the processes of its node, counted from 0."""

DL_LOSS: Final = "dl.loss"
"""The training loss. It is a number that moves, so it belongs on a metric of the consumer and never
on a span.
"""

DL_MICROBATCH_ID: Final = "dl.microbatch_id"
"""The index of the microbatch within its iteration, counted from 0."""

DL_PIPELINE_PARALLEL_RANK: Final = "dl.pipeline_parallel.rank"
"""The pipeline stage that this process works on, counted from 0."""

DL_PIPELINE_PARALLEL_SIZE: Final = "dl.pipeline_parallel.size"
"""The number of pipeline stages."""

DL_RANK: Final = "dl.rank"
"""The rank of this process in the whole job, counted from 0. It is set when the caller hands a rank
to set-up, always together with nv.dl.rank.
"""

DL_SEQUENCE_LENGTH: Final = "dl.sequence_length"
"""The number of tokens in one sample."""

DL_TENSOR_PARALLEL_RANK: Final = "dl.tensor_parallel.rank"
"""The rank of this process in its tensor-parallel group, counted from 0."""

DL_TENSOR_PARALLEL_SIZE: Final = "dl.tensor_parallel.size"
"""The number of ranks in a tensor-parallel group."""

DL_THROUGHPUT_TFLOPS: Final = "dl.throughput_tflops"
"""The floating-point throughput of one GPU. It is a number that moves, so it belongs on a metric of
the consumer and never on a span.
"""

DL_THROUGHPUT_TOKENS_PER_SEC: Final = "dl.throughput_tokens_per_sec"
"""The number of tokens trained on per second. It is a number that moves, so it belongs on a metric
of the consumer and never on a span.
"""

DL_WORLD_SIZE: Final = "dl.world_size"
"""The number of ranks in the whole job. It is set when the caller hands a world size to set-up,
always together with nv.dl.world_size.
"""

EXCEPTION_ESCAPED: Final = "exception.escaped"
"""Whether the exception left the span. The OpenTelemetry SDK adds it, as text."""

EXCEPTION_MESSAGE: Final = "exception.message"
"""The text of the exception. On spans, what looks like a secret in it is masked."""

EXCEPTION_STACKTRACE: Final = "exception.stacktrace"
"""The traceback as Python prints it."""

EXCEPTION_TYPE: Final = "exception.type"
"""The qualified name of the class of the exception."""

GENAI_OPERATION_NAME: Final = "gen_ai.operation.name"
"""The kind of operation that the model performed."""

GENAI_PROVIDER_NAME: Final = "gen_ai.provider.name"
"""The provider that served the model."""

GENAI_REQUEST_MODEL: Final = "gen_ai.request.model"
"""The name of the model that the request asked for."""

GENAI_TOKEN_TYPE: Final = "gen_ai.token.type"
"""The side of the exchange whose tokens are counted."""

GYM_NUM_SERVERS: Final = "gym.num_servers"
"""The number of environment servers that take part in the work."""

GYM_ROLLOUT_BATCH_SIZE: Final = "gym.rollout.batch_size"
"""The number of rollouts that are collected together."""

GYM_SERVER_NAME: Final = "gym.server.name"
"""The name of the environment server."""

GYM_SERVER_TYPE: Final = "gym.server.type"
"""The kind of the environment server."""

GYM_VERIFY_SUCCESS_RATE: Final = "gym.verify.success_rate"
"""The share of answers that passed verification, from 0 to 1. It is a number that moves, so it
belongs on a metric of the consumer and never on a span.
"""

HOST_GPU_COUNT: Final = "host.gpu.count"
"""The number of GPUs that the process can see, as the CUDA runtime reads CUDA_VISIBLE_DEVICES.
Without that variable it is the number of GPUs that the driver lists.
"""

HOST_NAME: Final = "host.name"
"""The name of the host that the process runs on."""

INVERTED_DELTA_SECONDS: Final = "inverted.delta_seconds"
"""How many seconds the end lies before the start, as text that keeps every digit."""

INVERTED_END_EPOCH_SECONDS: Final = "inverted.end_epoch_seconds"
"""The end that was read, in seconds since the epoch, as text that keeps every digit."""

INVERTED_SKEW: Final = "inverted.skew"
"""True on a span whose end was read earlier than its start."""

INVERTED_START_EPOCH_SECONDS: Final = "inverted.start_epoch_seconds"
"""The start that was read, in seconds since the epoch, as text that keeps every digit."""

K8S_CONTAINER_NAME: Final = "k8s.container.name"
"""The name of the container in the specification of the pod."""

K8S_JOB_NAME: Final = "k8s.job.name"
"""The name of the Kubernetes Job that created the pod."""

K8S_NAMESPACE_NAME: Final = "k8s.namespace.name"
"""The namespace that the pod runs in."""

K8S_NODE_NAME: Final = "k8s.node.name"
"""The name of the node that the pod runs on."""

K8S_POD_NAME: Final = "k8s.pod.name"
"""The name of the pod."""

K8S_POD_UID: Final = "k8s.pod.uid"
"""The unique identifier of the pod, which a recreated pod of the same name does not share."""

NEMO_EXIT_CODE: Final = "nemo.exit.code"
"""The status that the process asked to exit with while the span was open."""

NEMO_LENS_QUEUE: Final = "nemo.lens.queue"
"""The signal and the exporter whose queue lost telemetry."""

NEMO_LENS_REASON: Final = "nemo.lens.reason"
"""Why telemetry was lost."""

NEMO_LENS_VERSION: Final = "nemo.lens.version"
"""The version of nemo-lens-api that instrumented the process."""

NEMO_METRIC_NAME: Final = "nemo.metric.name"
"""The name of the metric that a measurement was recorded for."""

NEMO_MLFLOW_RUN_ID: Final = "nemo.mlflow.run.id"
"""The identifier of the run in MLflow."""

NEMO_MLFLOW_RUN_URL: Final = "nemo.mlflow.run.url"
"""The page of the run in MLflow, where its tracking server is on the web."""

NEMO_RUN_ID: Final = "nemo.run.id"
"""The identifier that all processes of one run share, restarts included."""

NEMO_SPAN_CANCELLED: Final = "nemo.span.cancelled"
"""True on a span that a cancellation or an interrupt ended. Its status says nothing about a failure
of the work.
"""

NEMO_SPAN_GROUP: Final = "nemo.span.group"
"""The span group that the spans of one instrumentation scope belong to. Run files carry it on the
scope, once for all of its spans.
"""

NEMO_SPAN_OPEN_MARKER: Final = "nemo.span.open_marker"
"""True on the span without length that tells, while a long span is still open, that it was opened.
Leave these out where spans are counted or their lengths compared.
"""

NEMO_SPAN_TRUNCATED: Final = "nemo.span.truncated"
"""True on a span that was still open when its process ended and that was closed for it."""

NEMO_SPAN_TRUNCATED_REASON: Final = "nemo.span.truncated.reason"
"""What ended the process while the span was still open."""

NEMO_USER_ID: Final = "nemo.user.id"
"""The person or service account that the run belongs to."""

NEMO_WAIT: Final = "nemo.wait"
"""True on a span in which the rank waits for other ranks. Reports count its time as waiting rather
than as work of the rank.
"""

NV_DL_JOB_UUID: Final = "nv.dl.job.uuid"
"""A UUID that all processes of one job derive alike. It stays the same over all restarts and all
elements of a job array.
"""

NV_DL_LAUNCH_CONTAINER_IMAGE: Final = "nv.dl.launch.container.image"
"""The container image that the launcher started the process in."""

NV_DL_LOCAL_RANK: Final = "nv.dl.local_rank"
"""The rank of this process among the ranks of its node, counted from 0."""

NV_DL_PROVIDER_NAME: Final = "nv.dl.provider.name"
"""The framework that the process runs."""

NV_DL_RANK: Final = "nv.dl.rank"
"""The rank of this process in the whole job, counted from 0. Collectors filter on it, and
service.instance.id is derived from it.
"""

NV_DL_ROLE: Final = "nv.dl.role"
"""What this process does in the job. A process without a role counts as a trainer."""

NV_DL_RUN_UUID: Final = "nv.dl.run.uuid"
"""A UUID that all processes of one attempt of a job derive alike."""

NV_DL_SOFTWARE_CUDA: Final = "nv.dl.software.cuda"
"""The version of the CUDA toolkit that the framework was built for."""

NV_DL_SOFTWARE_NCCL: Final = "nv.dl.software.nccl"
"""The version of NCCL."""

NV_DL_SOFTWARE_TORCH: Final = "nv.dl.software.torch"
"""The version of PyTorch."""

NV_DL_SOFTWARE_TRANSFORMER_ENGINE: Final = "nv.dl.software.transformer_engine"
"""The version of Transformer Engine."""

NV_DL_TOPOLOGY_SIZE_DP: Final = "nv.dl.topology.size.dp"
"""The number of ranks in a data-parallel group."""

NV_DL_TOPOLOGY_SIZE_PP: Final = "nv.dl.topology.size.pp"
"""The number of pipeline stages."""

NV_DL_TOPOLOGY_SIZE_TP: Final = "nv.dl.topology.size.tp"
"""The number of ranks in a tensor-parallel group."""

NV_DL_TRAINING_CONFIG_GLOBAL_BATCH_SIZE: Final = "nv.dl.training.config.global_batch_size"
"""The number of samples that one step of the whole job trains on."""

NV_DL_TRAINING_CONFIG_MICRO_BATCH_SIZE: Final = "nv.dl.training.config.micro_batch_size"
"""The number of samples in one forward and backward pass of a data-parallel rank."""

NV_DL_TRAINING_CONFIG_OPTIMIZER: Final = "nv.dl.training.config.optimizer"
"""The optimizer that updates the weights."""

NV_DL_TRAINING_CONFIG_RECOMPUTE_GRANULARITY: Final = "nv.dl.training.config.recompute_granularity"
"""How much of the activations the backward pass computes again."""

NV_DL_TRAINING_CONFIG_SEQUENCE_LENGTH: Final = "nv.dl.training.config.sequence_length"
"""The number of tokens in one sample."""

NV_DL_TRAINING_TARGET_TRAIN_ITERS: Final = "nv.dl.training.target.train_iters"
"""The number of iterations after which the training is complete."""

NV_DL_TRAINING_TARGET_TRAIN_SAMPLES: Final = "nv.dl.training.target.train_samples"
"""The number of samples after which the training is complete."""

NV_DL_TRAINING_TARGET_TRAIN_TOKENS: Final = "nv.dl.training.target.train_tokens"
"""The number of tokens after which the training is complete."""

NV_DL_WORLD_SIZE: Final = "nv.dl.world_size"
"""The number of ranks in the whole job."""

NV_GPU_COMPUTE_CAPABILITY: Final = "nv.gpu.compute_capability"
"""The CUDA compute capability of the GPU, written as major.minor."""

NV_GPU_DRIVER_VERSION: Final = "nv.gpu.driver_version"
"""The version of the NVIDIA driver."""

NV_GPU_INDEX: Final = "nv.gpu.index"
"""The index of the GPU on its node, in the order of NVML, counted from 0."""

NV_GPU_MEMORY_TOTAL: Final = "nv.gpu.memory_total"
"""The size of the memory of the GPU."""

NV_GPU_MODEL: Final = "nv.gpu.model"
"""The product name of the GPU."""

NV_GPU_PCI_BUS_ID: Final = "nv.gpu.pci_bus_id"
"""The address of the GPU on the PCI bus."""

NV_GPU_SERIAL: Final = "nv.gpu.serial"
"""The serial number of the board, which hardware teams ask for."""

NV_GPU_UUID: Final = "nv.gpu.uuid"
"""The unique identifier of the GPU."""

PROCESS_PID: Final = "process.pid"
"""The identifier of the process on its host."""

RL_ALGORITHM: Final = "rl.algorithm"
"""The algorithm that trains the policy."""

RL_GENERATION_BACKEND: Final = "rl.generation.backend"
"""The inference engine that generates the rollouts."""

RL_NUM_ROLLOUTS: Final = "rl.num_rollouts"
"""The number of rollouts that the work covers."""

RL_REWARD: Final = "rl.reward"
"""The mean reward. It is a number that moves, so it belongs on a metric of the consumer and never
on a span.
"""

SERVICE_INSTANCE_ID: Final = "service.instance.id"
"""The identifier of this process among all that share the service name. It is `<run id>-rank<N>`
for the first attempt of the trainer of a rank; other roles, restarts and child processes append
`-<role>`, `-r<restart>` and `-p<pid>`.
"""

SERVICE_NAME: Final = "service.name"
"""The name of the service, the same for all processes of a job."""

SERVICE_VERSION: Final = "service.version"
"""The version of the service. It is set only when the user gives one."""

SLURM_ARRAY_COUNT: Final = "slurm.array.count"
"""The number of elements of the job array, 1 where there is no array."""

SLURM_ARRAY_JOB_ID: Final = "slurm.array.job_id"
"""The job id of the whole job array, or of the job where there is no array."""

SLURM_ARRAY_SLUID: Final = "slurm.array.sluid"
"""The globally unique SLURM identifier of the job array, as the launcher hands it on."""

SLURM_ARRAY_TASK_ID: Final = "slurm.array.task_id"
"""The index of this element in its job array, 0 where there is no array."""

SLURM_CLUSTER: Final = "slurm.cluster"
"""The former name of slurm.cluster.name. It is never emitted."""

SLURM_CLUSTER_NAME: Final = "slurm.cluster.name"
"""The name of the cluster."""

SLURM_HEAD_NODE_NAME: Final = "slurm.head_node.name"
"""The node that runs the batch script. It is set outside of job steps only."""

SLURM_JOB_ACCOUNT: Final = "slurm.job.account"
"""The account that the job is charged to."""

SLURM_JOB_ID: Final = "slurm.job.id"
"""The job as people name it. It is `<array job>_<task>` for an element of a job array, the leading
job for a component of a heterogeneous job, and the job id otherwise.
"""

SLURM_JOB_ID_RAW: Final = "slurm.job.id.raw"
"""The job id that SLURM itself gave to this element or component."""

SLURM_JOB_NAME: Final = "slurm.job.name"
"""The name of the job."""

SLURM_JOB_QOS: Final = "slurm.job.qos"
"""The quality of service that the job runs under."""

SLURM_JOB_RESERVATION: Final = "slurm.job.reservation"
"""The reservation that the job runs in."""

SLURM_JOB_USER: Final = "slurm.job.user"
"""The login name of the owner of the job."""

SLURM_NNODES: Final = "slurm.nnodes"
"""The number of nodes of the job, over all components of a heterogeneous job."""

SLURM_NODELIST: Final = "slurm.nodelist"
"""The nodes of the job in the compact notation of SLURM. A list that is longer than 1 KiB is cut
and ends in three dots. Heterogeneous jobs join the lists of their components.
"""

SLURM_NTASKS: Final = "slurm.ntasks"
"""The number of tasks of the job, over all components of a heterogeneous job."""

SLURM_PARTITION: Final = "slurm.partition"
"""The partition that the job runs in."""

SLURM_RESTART_COUNT: Final = "slurm.restart_count"
"""How many times SLURM requeued the job."""

SLURM_SEGMENT: Final = "slurm.segment"
"""The segment size that the job asked the block topology for."""

SLURM_SLUID: Final = "slurm.sluid"
"""The globally unique SLURM identifier of the job, as the launcher hands it on."""

SLURM_TOPOLOGY_ADDR: Final = "slurm.topology.addr"
"""The path of switches or blocks that leads to the node."""

SLURM_TOPOLOGY_ADDR_PATTERN: Final = "slurm.topology.addr_pattern"
"""The kinds of the components of slurm.topology.addr."""

SLURM_TORCHELASTIC_RESTART_COUNT: Final = "slurm.torchelastic.restart_count"
"""How many times torchrun restarted the workers. It is never emitted."""

WANDB_ENTITY: Final = "wandb.entity"
"""The user or team that owns the project."""

WANDB_PROJECT: Final = "wandb.project"
"""The project that the run belongs to."""

WANDB_RUN_ID: Final = "wandb.run.id"
"""The identifier of the run in Weights & Biases."""

WANDB_RUN_URL: Final = "wandb.run.url"
"""The page of the run in Weights & Biases."""

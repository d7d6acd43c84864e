# shellcheck shell=bash disable=SC2034
# llama3.1-405b on H100 cluster: tp=8,pp=16,dp=8,mb=1,vp=8,zero=1,schedule=interleaved
# Ranks: 128 nodes of 8 h100
# Arguments as of Megatron Core 0.15. Learning rate, data, tokenizer and checkpoints are yours:
#   source THIS_FILE
#   torchrun --nnodes 128 --nproc-per-node 8 pretrain_gpt.py "${PLAN_ARGS[@]}" ...

export CUDA_DEVICE_MAX_CONNECTIONS=1  # before Blackwell

PLAN_ARGS=(
    # model
    --num-layers 126
    --hidden-size 16384
    --ffn-hidden-size 53248
    --num-attention-heads 128
    --kv-channels 128
    --group-query-attention
    --num-query-groups 8
    --seq-length 8192
    --max-position-embeddings 8192
    --position-embedding-type rope
    --vocab-size 128256
    --normalization RMSNorm
    --swiglu
    --disable-bias-linear
    --untie-embeddings-and-output-weights
    # parallelism
    --tensor-model-parallel-size 8
    --sequence-parallel
    --pipeline-model-parallel-size 16
    --num-virtual-stages-per-pipeline-rank 8
    --account-for-embedding-in-pipeline-split
    --account-for-loss-in-pipeline-split
    --context-parallel-size 1
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
    # step
    --micro-batch-size 1
    --global-batch-size 1024
    --bf16
)

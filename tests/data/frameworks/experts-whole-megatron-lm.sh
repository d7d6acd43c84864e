# shellcheck shell=bash disable=SC2034
# mixtral-8x7b on H100 cluster: tp=2,pp=1,dp=32,ep=8,etp=1,mb=2,zero=1
# Ranks: 8 nodes of 8 h100
# Arguments as of Megatron Core 0.15. Learning rate, data, tokenizer and checkpoints are yours:
#   source THIS_FILE
#   torchrun --nnodes 8 --nproc-per-node 8 pretrain_gpt.py "${PLAN_ARGS[@]}" ...

export CUDA_DEVICE_MAX_CONNECTIONS=1  # before Blackwell

PLAN_ARGS=(
    # model
    --num-layers 32
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --kv-channels 128
    --group-query-attention
    --num-query-groups 8
    --seq-length 4096
    --max-position-embeddings 4096
    --position-embedding-type rope
    --vocab-size 32000
    --normalization RMSNorm
    --swiglu
    --disable-bias-linear
    --untie-embeddings-and-output-weights
    --num-experts 8
    --moe-router-topk 2
    --moe-ffn-hidden-size 14336
    --moe-token-dispatcher-type alltoall
    --moe-grouped-gemm
    # parallelism
    --tensor-model-parallel-size 2
    --sequence-parallel
    --pipeline-model-parallel-size 1
    --context-parallel-size 1
    --expert-model-parallel-size 8
    --expert-tensor-parallel-size 1
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
    # step
    --micro-batch-size 2
    --global-batch-size 256
    --bf16
)

# shellcheck shell=bash disable=SC2034
# llama3.1-70b on H100 cluster: tp=1,pp=1,dp=64,mb=1,zero=3,recompute=full
# Ranks: 8 nodes of 8 h100
# Arguments as of Megatron Core 0.15. Learning rate, data, tokenizer and checkpoints are yours:
#   source THIS_FILE
#   torchrun --nnodes 8 --nproc-per-node 8 pretrain_gpt.py "${PLAN_ARGS[@]}" ...

PLAN_ARGS=(
    # model
    --num-layers 80
    --hidden-size 8192
    --ffn-hidden-size 28672
    --num-attention-heads 64
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
    --tensor-model-parallel-size 1
    --pipeline-model-parallel-size 1
    --context-parallel-size 1
    --use-megatron-fsdp
    --data-parallel-sharding-strategy optim_grads_params
    --ckpt-format fsdp_dtensor
    # step
    --micro-batch-size 1
    --global-batch-size 256
    --bf16
    --recompute-granularity full
    --recompute-method uniform
    --recompute-num-layers 1
)

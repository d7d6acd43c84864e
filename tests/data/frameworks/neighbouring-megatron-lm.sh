# shellcheck shell=bash disable=SC2034
# llama3.1-8b on H100 cluster: tp=1,pp=4,dp=4,mb=2,zero=1,schedule=1f1b,order=tp-cp-pp-dp
# Ranks: 2 nodes of 8 h100
# Arguments as of Megatron Core 0.15. Learning rate, data, tokenizer and checkpoints are yours:
#   source THIS_FILE
#   torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py "${PLAN_ARGS[@]}" ...

PLAN_ARGS=(
    # model
    --num-layers 32
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
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
    --pipeline-model-parallel-size 4
    --context-parallel-size 1
    --use-tp-pp-dp-mapping
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
    # step
    --micro-batch-size 2
    --global-batch-size 256
    --bf16
)

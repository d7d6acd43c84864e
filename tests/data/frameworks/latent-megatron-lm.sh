# shellcheck shell=bash disable=SC2034
# deepseek-v3 on H100 cluster: tp=1,pp=16,dp=64,ep=64,mb=1,zero=1,schedule=1f1b
# Ranks: 128 nodes of 8 h100
# Arguments as of Megatron Core 0.15. Learning rate, data, tokenizer and checkpoints are yours:
#   source THIS_FILE
#   torchrun --nnodes 128 --nproc-per-node 8 pretrain_gpt.py "${PLAN_ARGS[@]}" ...

PLAN_ARGS=(
    # model
    --num-layers 61
    --hidden-size 7168
    --ffn-hidden-size 18432
    --num-attention-heads 128
    --multi-latent-attention
    --q-lora-rank 1536
    --kv-lora-rank 512
    --qk-head-dim 128
    --qk-pos-emb-head-dim 64
    --v-head-dim 128
    --seq-length 8192
    --max-position-embeddings 8192
    --position-embedding-type rope
    --vocab-size 128256
    --normalization RMSNorm
    --swiglu
    --disable-bias-linear
    --untie-embeddings-and-output-weights
    --num-experts 256
    --moe-router-topk 8
    --moe-ffn-hidden-size 2048
    --moe-shared-expert-intermediate-size 2048
    --moe-layer-freq '([0]*3+[1]*58)'
    --moe-token-dispatcher-type alltoall
    --moe-grouped-gemm
    # parallelism
    --tensor-model-parallel-size 1
    --pipeline-model-parallel-size 16
    --decoder-last-pipeline-num-layers 1
    --context-parallel-size 1
    --expert-model-parallel-size 64
    --expert-tensor-parallel-size 1
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
    # step
    --micro-batch-size 1
    --global-batch-size 1024
    --bf16
    --fp8-format hybrid
)

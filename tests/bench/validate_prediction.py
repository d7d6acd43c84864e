#!/usr/bin/env python3
"""Trains models on this processor with PyTorch and compares the time with what `tessera predict` says.

    validate_prediction.py --tessera build/release/bin/tessera [--models resnet50,unet] [--rounds 2] [--out report.json]

Run on demand, on a machine that does nothing else; it takes about half an hour. It needs Debian's python3-torch, and a
BLAS beside it that knows the processor (libopenblas0-serial): with Debian's reference BLAS products of matrices take
twenty times as long as with oneDNN, which no table of oneDNN's kernels can predict.

What is trained is the graph that is predicted: `tessera model convert --to json` writes the model of the zoo, and this
program runs its operators with PyTorch's functions, one by one, with PyTorch's automatic differentiation and SGD. As in
the prediction the gradients of the outputs are given: there is no loss. Every model is trained on one core, in rounds that
alternate with `tessera calibrate --for MODEL`, so that a drift of the machine is in both. With two processes each has a
core of its own, they calibrate at the same time, and gradients are summed by gloo after the backward pass, in the buckets
of PyTorch's DistributedDataParallel.

Accuracy is 1 - |predicted - measured| / measured of the throughput. Steps and kernels are timed with memory as
frameworks reuse it: what glibc would give back to the system stays in the process (environment variable
MALLOC_MMAP_MAX_, set here).
"""
import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODELS = {
    # name: dimensions, batch sizes, steps that are timed in a round, seconds of a calibration
    # (With one thread, PyTorch sends convolutions of 1x1 to oneDNN from 16 samples on only.)
    "resnet50": ({}, (16, 24), 2, 100),
    "unet": ({}, (1, 2), 2, 90),
    "candle-uno": ({}, (64, 256), 5, 25),
    "bert-base": ({"sequence": 128}, (2, 4), 3, 60),
    "braggnn": ({}, (256, 1024), 5, 25),
    "gpt2": ({"sequence": 128}, (2, 4), 3, 60),
}
BUCKET = 25 << 20  # bytes of gradients in one sum, as in PyTorch's DistributedDataParallel
WARMUP = 2  # steps that are not timed: they find memory and kernels
TARGETS = {1: 0.931, 2: 0.904}  # mean accuracy, Xie et al., Centimani, USENIX ATC 2024, section 6.2.1
BASELINES = ("roofline", "utilization", "similarity")
REUSE = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(256 << 20)}
MASKED = -1e4


def value(attributes, name, otherwise):
    """An attribute of the native JSON, whose kind is the key: {"strides": {"ints": [2, 2]}}."""
    found = (attributes or {}).get(name)
    return next(iter(found.values())) if found else otherwise


class Network:
    """A model of the zoo as PyTorch tensors and the functions that its operators name."""

    def __init__(self, document, batch):
        import torch
        self.torch = torch
        torch.manual_seed(1)
        self.tensors = {tensor["name"]: tensor for tensor in document["tensors"]}
        self.operators = document["operators"]
        self.outputs = document["outputs"]
        self.batch = batch
        self.constants, self.inputs, self.parameters = {}, {}, {}
        for name, tensor in self.tensors.items():
            role, shape = tensor["role"], tensor["shape"]
            if role == "parameter":
                self.parameters[name] = torch.nn.Parameter(torch.randn(shape) * 0.02 + (1 if len(shape) == 1 else 0))
            elif role == "input":
                self.inputs[name] = self.sample([shape[0] * batch] + shape[1:], tensor["type"])
            elif role == "constant" and tensor["type"] in ("boolean", "float32"):
                self.constants[name] = self.constant(shape, tensor["type"])
        self.last = {name: index for index, op in enumerate(self.operators) for name in op["inputs"] if name}
        self.optimizer = torch.optim.SGD(self.parameters.values(), lr=1e-6)

    def sample(self, shape, dtype):
        if dtype == "int64":
            return self.torch.randint(0, 2, shape)
        return self.torch.ones(shape, dtype=self.torch.bool) if dtype == "boolean" else self.torch.randn(shape)

    def constant(self, shape, dtype):
        if dtype == "boolean":
            return self.torch.ones(shape, dtype=self.torch.bool).tril()
        return self.torch.full(shape, 0.125)

    def shape(self, name):
        shape = self.tensors[name]["shape"]
        return [shape[0] * self.batch] + shape[1:] if self.tensors[name]["role"] == "activation" else shape

    def run(self, op, given):
        """The outputs of one operator."""
        torch, functional, attributes = self.torch, self.torch.nn.functional, op.get("attributes")
        x, kind = given[0], op["type"]
        pads = value(attributes, "pads", [0, 0])
        window = {"stride": value(attributes, "strides", [1, 1]), "padding": pads[:2]}
        axis = value(attributes, "axis", -1)
        bias = given[2] if len(given) > 2 else None
        if kind == "Conv":
            return [functional.conv2d(x, given[1], bias, groups=value(attributes, "group", 1), **window)]
        if kind == "ConvTranspose":
            return [functional.conv_transpose2d(x, given[1], bias, **window)]
        if kind == "MaxPool":
            return [functional.max_pool2d(x, value(attributes, "kernel_shape", None), **window)]
        if kind == "BatchNormalization":
            return [functional.batch_norm(x, None, None, given[1], bias, training=True)]
        if kind == "LayerNormalization":
            return [functional.layer_norm(x, given[1].shape, given[1], bias)]
        if kind == "Gemm":
            return [functional.linear(x, given[1] if value(attributes, "transB", 0) else given[1].t(), bias)]
        if kind == "LeakyRelu":
            return [functional.leaky_relu(x, value(attributes, "alpha", 0.01))]
        if kind == "Gather":
            if x.dim() == 2 and op["inputs"][1] in self.inputs:
                return [functional.embedding(given[1], x)]
            shape = self.tensors[op["inputs"][1]]["shape"]
            return [x[:shape[0]] if shape else x.select(axis, 0)]  # the first positions; one position
        if kind == "Where":
            return [torch.where(x, given[1], torch.tensor(MASKED))]
        if kind == "Concat":
            return [torch.cat(given, axis)]
        if kind == "Split":
            return x.chunk(len(op["outputs"]), axis)
        if kind == "Transpose":
            return [x.permute(value(attributes, "perm", None))]
        if kind in ("Reshape", "Flatten"):
            return [x.reshape(self.shape(op["outputs"][0]))]
        simple = {"Relu": functional.relu, "Gelu": functional.gelu, "Tanh": torch.tanh, "MatMul": torch.matmul,
                  "Add": torch.add, "Mul": torch.mul, "Softmax": lambda data: functional.softmax(data, axis),
                  "GlobalAveragePool": lambda data: functional.adaptive_avg_pool2d(data, 1)}
        if kind not in simple:
            raise SystemExit(f"operator {kind} of {op['name']} is not known to this benchmark")
        return [simple[kind](*given)]

    def forward(self):
        known = {**self.constants, **self.inputs, **self.parameters}
        for index, op in enumerate(self.operators):
            made = self.run(op, [known.get(name) for name in op["inputs"]])
            known.update(zip(op["outputs"], made))
            for name in op["inputs"]:  # what nothing reads any more is given back
                if self.last.get(name) == index and name not in self.outputs and name in known:
                    del known[name]
        return [known[name] for name in self.outputs]

    def step(self, reduce=None):
        self.optimizer.zero_grad(set_to_none=True)
        outputs = self.forward()
        self.torch.autograd.backward(outputs, self.gradients(outputs))
        if reduce:
            reduce([each for each in self.parameters.values() if each.grad is not None])
        self.optimizer.step()

    def gradients(self, outputs):
        if not hasattr(self, "given"):
            self.given = [self.torch.full_like(output, 1e-3) for output in outputs]
        return self.given

    def saved_bytes(self):
        """What the forward pass keeps for the backward pass: every storage once, parameters and inputs apart."""
        storages, own = {}, {each.data_ptr() for each in self.parameters.values()}

        def keep(tensor):
            storages[tensor.storage().data_ptr()] = tensor.storage().nbytes()
            return tensor

        with self.torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            outputs = self.forward()
        for output in outputs:
            storages[output.storage().data_ptr()] = output.storage().nbytes()
        for given in self.inputs.values():
            storages[given.storage().data_ptr()] = given.storage().nbytes()
        return sum(size for place, size in storages.items() if place not in own)


def buckets_of(parameters):
    """Parameters whose gradients are summed together: one sum of each by itself would take longer to begin than to run."""
    buckets, filled = [[]], 0
    for each in parameters:
        if filled + 4 * each.numel() > BUCKET and buckets[-1]:
            buckets.append([])
            filled = 0
        buckets[-1].append(each)
        filled += 4 * each.numel()
    return buckets


def train(arguments):
    """One process that trains: prints a JSON list of seconds per step. Run by itself, so that its memory is its own."""
    import torch
    torch.set_num_threads(1)
    document = json.loads(Path(arguments.train).read_text())
    network = Network(document, arguments.batch)
    reduce = None
    if arguments.world > 1:
        import torch.distributed as distributed
        distributed.init_process_group("gloo", init_method=f"file://{arguments.meeting}", rank=arguments.rank,
                                       world_size=arguments.world)

        def reduce(parameters):
            for bucket in buckets_of(parameters):
                whole = torch.cat([each.grad.flatten() for each in bucket])
                distributed.all_reduce(whole)
                for each, part in zip(bucket, whole.split([each.numel() for each in bucket])):
                    each.grad = part.view_as(each)

        network.optimizer.param_groups[0]["lr"] /= arguments.world  # the mean without a pass over the gradients

    if arguments.saved:
        print(json.dumps({"saved_bytes": network.saved_bytes(),
                          "parameters": sum(4 * each.numel() for each in network.parameters.values())}))
        return
    if arguments.profile:
        from torch.profiler import profile
        network.step()
        with profile() as seen:
            network.step()
        print(json.dumps({row.key: row.self_cpu_time_total * 1e-6 for row in seen.key_averages()}))
        return
    times = []
    for index in range(arguments.steps + WARMUP):
        before = time.perf_counter()
        network.step(reduce)
        if index >= WARMUP:
            times.append(time.perf_counter() - before)
    print(json.dumps(times))


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, Path(folder)
        self.environment = {**os.environ, **REUSE, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                            "XDG_DATA_HOME": str(self.folder / "share")}
        self.steps, self.tables, self.accelerators, self.sums = {}, {}, {}, []

    def call(self, command, cores):
        """Starts a program on one core, or on several: "0,1"."""
        pinned = ["taskset", "-c", str(cores), *map(str, command)]
        return subprocess.Popen(pinned, env=self.environment, stdout=subprocess.PIPE, text=True)

    def end(self, process):
        output, _ = process.communicate()
        if process.returncode:
            raise SystemExit(f"{' '.join(process.args)} ended with {process.returncode}")
        return output

    def tessera(self, *command, core=0):
        return self.end(self.call([self.arguments.tessera, *command], core))

    @staticmethod
    def dimensions(model):
        return [word for name, size in MODELS[model][0].items() for word in ("--dim", f"{name}={size}")]

    def document(self, model):
        path = self.folder / f"{model}.json"
        if not path.exists():
            self.tessera("model", "convert", f"zoo:{model}", *self.dimensions(model), "--to", "json", "--out", path)
        return path

    def calibrate(self, model, processes, round_):
        """One calibration on every core that trains, at the same time; the first one's is kept."""
        batches = ",".join(map(str, MODELS[model][1]))
        seconds = MODELS[model][3] * self.arguments.effort
        running = []
        for core in range(processes):
            out = self.folder / f"{model}-{processes}-{round_}-{core}.machine.json"
            running.append((out, self.call([self.arguments.tessera, "calibrate", "--quick", "--for", f"zoo:{model}",
                                            *self.dimensions(model), "--batch", batches, "--optimizer",
                                            "sgd", "--dtype", "fp32", "--threads", 1, "--time-limit",
                                            f"{seconds}s", "--out", out, "--quiet", "--json"], core)))
        reports = [json.loads(self.end(process)) for _, process in running]
        for out, _ in running:
            rows = out.with_suffix(".csv").read_text().splitlines()
            rows = [row for row in rows if not row.startswith("#")]
            self.tables.setdefault((model, processes), rows[:1]).extend(rows[1:])
        self.accelerators.setdefault((model, processes), json.loads(running[0][0].read_text()))
        return reports[0]

    def calibrate_sums(self):
        """Sums between processes, each on a core of its own."""
        out = self.folder / f"sums-{len(self.sums)}.machine.json"
        self.end(self.call([self.arguments.tessera, "calibrate", "--quick", "--dtype", "fp32", "--threads", 1,
                            "--time-limit", "15s", "--out", out, "--quiet"], "0,1"))
        self.sums.append(json.loads(out.read_text()))

    def train(self, model, batch, processes, *more):
        meeting = tempfile.mktemp(dir=self.folder)
        running = [self.call([sys.executable, __file__, "--train", self.document(model), "--batch", batch, "--steps",
                              MODELS[model][2], "--world", processes, "--rank", core, "--meeting", meeting, *more], core)
                   for core in range(processes)]
        return [json.loads(self.end(process)) for process in running][0]

    def measure(self, processes):
        for round_ in range(self.arguments.rounds):
            if processes > 1:
                self.calibrate_sums()
            for model in self.arguments.models:
                for batch in MODELS[model][1]:
                    self.steps.setdefault((model, batch, processes), []).extend(self.train(model, batch, processes))
                report = self.calibrate(model, processes, round_)
                print(f"round {round_ + 1}, {model}, {processes} processes: "
                      f"steps {[round(x, 3) for b in MODELS[model][1] for x in self.steps[(model, b, processes)]]}, "
                      f"{'noisy' if report['noisy'] else 'quiet'}, not reached {report['not_reached']}",
                      file=sys.stderr, flush=True)

    def predict(self, model, batch, processes):
        """The document of one prediction by what all rounds measured."""
        accelerator = json.loads(json.dumps(self.accelerators[(model, processes)]))
        if processes > 1:
            middle = sorted(self.sums, key=lambda one: one["network_bits_per_s"]["value"])[len(self.sums) // 2]
            for key in ("all_reduce", "network_bits_per_s", "network_latency_s"):
                accelerator[key] = middle[key]
        accelerator["kernels"] = f"{model}-{processes}.csv"
        path = self.folder / f"{model}-{processes}.machine.json"
        path.write_text(json.dumps(accelerator))
        path.with_name(accelerator["kernels"]).write_text("\n".join(self.tables[(model, processes)]) + "\n")
        return json.loads(self.tessera("predict", "--model", f"zoo:{model}", *self.dimensions(model), "--accelerator",
                                       path, "--batch", batch, "--dtype", "fp32", "--optimizer", "sgd", "--devices",
                                       processes, "--no-store", "--json"))

    def throughput(self, model, batch, processes):
        return processes * batch / statistics.median(self.steps[(model, batch, processes)])


def accuracy(predicted, measured):
    return 1 - abs(predicted - measured) / measured


def similar(bench, model, documents, processes):
    """The similarity baseline: the throughput, measured here, of the other model that is nearest in work and parameters."""
    def distance(other):
        mine, theirs = documents[model], documents[other]
        return sum(abs(math.log(mine[key] / theirs[key])) for key in ("model_flops_per_sample", "model_parameters"))

    others = [other for other in bench.arguments.models if other != model]
    if not others:
        return None
    nearest = min(others, key=distance)
    return bench.throughput(nearest, MODELS[nearest][1][-1], processes)


def table(bench, processes):
    """Rows of predicted against measured."""
    documents = {model: bench.predict(model, MODELS[model][1][-1], processes) for model in bench.arguments.models}
    rows = []
    for model in bench.arguments.models:
        for batch in MODELS[model][1]:
            prediction = bench.predict(model, batch, processes)["predictions"][0]
            measured = bench.throughput(model, batch, processes)
            found = {each["id"]: each.get("throughput_samples_per_s") for each in prediction["baselines"]}
            found["similarity"] = similar(bench, model, documents, processes)
            rows.append({"model": model, "batch": batch, "processes": processes, "measured_samples_per_s": measured,
                         "predicted_samples_per_s": prediction["throughput_samples_per_s"],
                         "accuracy": accuracy(prediction["throughput_samples_per_s"], measured),
                         "operators": {key: share for key, share in prediction["operators"].items() if key != "slowest"},
                         "stages": prediction["stages"],
                         "baselines": {key: accuracy(each, measured) for key, each in found.items() if each is not None}})
    return rows


def show(rows, processes):
    mean = statistics.mean(row["accuracy"] for row in rows)
    print(f"\n{processes} process{'es' if processes > 1 else ''}\n")
    print("| model | batch | measured, samples/s | predicted | accuracy | " + " | ".join(BASELINES) + " | better than all |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|---|")
    for row in rows:
        others = [row["baselines"].get(each) for each in BASELINES]
        better = all(row["accuracy"] > each for each in others if each is not None)
        cells = ["-" if each is None else f"{100 * each:.1f} %" for each in others]
        print(f"| {row['model']} | {row['batch']} | {row['measured_samples_per_s']:.3g} | "
              f"{row['predicted_samples_per_s']:.3g} | {100 * row['accuracy']:.1f} % | {' | '.join(cells)} | "
              f"{'yes' if better else 'no'} |")
    print(f"\nMean accuracy {100 * mean:.1f} %; target {100 * TARGETS[processes]:.1f} %: "
          f"{'reached' if mean >= TARGETS[processes] else f'missed by {100 * (TARGETS[processes] - mean):.1f} points'}.")


def memory(bench):
    rows = []
    print("\nMemory on one process\n\n| model | batch | kept by PyTorch for the backward pass | inputs and activations "
          "by Tessera at its peak | difference | parameters, PyTorch | weights, Tessera |\n|---|--:|--:|--:|--:|--:|--:|")
    # At batches at which activations, not the update of the parameters, make the peak.
    for model, batch in (("resnet50", 16), ("bert-base", 16), ("braggnn", 256)):
        if model not in bench.arguments.models:
            continue
        kept = bench.train(model, batch, 1, "--saved")
        said = bench.predict(model, batch, 1)["predictions"][0]["memory"]
        ours, weights = (sum(said[key].values()) for key in ("input_output", "weights"))
        rows.append({"model": model, "batch": batch, **kept, "input_output_bytes": ours, "weights_bytes": weights})
        print(f"| {model} | {batch} | {kept['saved_bytes'] / 1e6:.1f} MB | {ours / 1e6:.1f} MB | "
              f"{100 * (ours / kept['saved_bytes'] - 1):+.1f} % | {kept['parameters'] / 1e6:.1f} MB | {weights / 1e6:.1f} MB |")
    return rows


def blas_is_reference():
    """Products of matrices against a convolution of as many operations, which oneDNN always runs."""
    import torch
    torch.set_num_threads(1)
    a, x, w = torch.randn(512, 512), torch.randn(1, 512, 16, 32), torch.randn(512, 512, 1, 1)

    def best(run):
        times = []
        for _ in range(5):
            before = time.perf_counter()
            run()
            times.append(time.perf_counter() - before)
        return min(times)

    return best(lambda: a @ a) > 4 * best(lambda: torch.nn.functional.conv2d(x, w))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tessera", default="tessera")
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(MODELS))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--processes", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2])
    parser.add_argument("--effort", type=float, default=1, help="scales the time of calibrations")
    parser.add_argument("--out", help="writes all numbers as JSON")
    parser.add_argument("--keep", help="folder for what is written on the way")
    for hidden in ("--train", "--meeting"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    for hidden, otherwise in (("--batch", 1), ("--steps", 3), ("--rank", 0), ("--world", 1)):
        parser.add_argument(hidden, type=int, default=otherwise, help=argparse.SUPPRESS)
    parser.add_argument("--saved", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--profile", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("this benchmark trains with PyTorch, which is not installed here: apt-get install python3-torch")
        return 2
    if arguments.train:
        return train(arguments)
    unknown = [model for model in arguments.models if model not in MODELS]
    if unknown:
        print(f"there is no model {', '.join(unknown)} in this benchmark; there are {', '.join(MODELS)}")
        return 2
    if blas_is_reference():
        print("PyTorch multiplies matrices by the reference BLAS here, which oneDNN's kernels do not predict: "
              "apt-get install libopenblas0-serial")
        return 2
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                     platform.machine())
    print(f"{processor}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}; PyTorch {torch.__version__}; "
          f"{time.strftime('%Y-%m-%d', time.gmtime())}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(arguments, folder)
        report = {"rows": [], "processor": processor, "torch": torch.__version__, "load_before": os.getloadavg()}
        for processes in arguments.processes:
            bench.measure(processes)
            rows = table(bench, processes)
            show(rows, processes)
            report["rows"] += rows
        report["load_after"] = os.getloadavg()
        report["steps_s"] = {f"{model} {batch} {processes}": times for (model, batch, processes), times in bench.steps.items()}
        if 1 in arguments.processes:
            report["memory"] = memory(bench)
        if arguments.out:
            Path(arguments.out).write_text(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

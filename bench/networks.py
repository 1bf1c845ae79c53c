"""The networks of network_busy.py, by ONNX Runtime or PyTorch: that of the example, and those with random weights."""

import importlib.util
import threading
from pathlib import Path

import numpy

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "alphazero_connect_four"
LEAST = 8
"""The fewest rows that PyTorch computes."""
WARM = 50
"""Calls by PyTorch before the first measurement."""


def random_weights(state, channels, layers):
    """Random weights: of the convolutions by 3x3, the one by 1x1, and those from there to policy and value."""
    draw = numpy.random.default_rng(1)
    planes, rows, columns = state.observation().shape

    def weight(*shape):
        return draw.normal(0, (2 / numpy.prod(shape[1:])) ** 0.5, shape).astype(numpy.float32)

    convolutions = [weight(channels, channels if layer else planes, 3, 3) for layer in range(layers)]
    flat = 2 * rows * columns
    return convolutions, weight(2, channels, 1, 1), weight(state.actions, flat), weight(1, flat)


def random_onnx(state, channels, layers):
    """An ONNX model with random weights."""
    from onnx import TensorProto, helper, numpy_helper

    convolutions, head, to_policy, to_value = random_weights(state, channels, layers)
    weights, nodes, last = [], [], "observations"

    def weight(name, array):
        weights.append(numpy_helper.from_array(array, name))
        return name

    for layer, array in enumerate(convolutions):
        nodes += [helper.make_node("Conv", [last, weight(f"w{layer}", array)], [f"c{layer}"], pads=[1, 1, 1, 1]),
                  helper.make_node("Relu", [f"c{layer}"], [f"r{layer}"])]
        last = f"r{layer}"
    nodes += [helper.make_node("Conv", [last, weight("head", head)], ["maps"]),
              helper.make_node("Flatten", ["maps"], ["flat"]),
              helper.make_node("Gemm", ["flat", weight("to_policy", to_policy)], ["logits"], transB=1),
              helper.make_node("Softmax", ["logits"], ["policy"]),
              helper.make_node("Gemm", ["flat", weight("to_value", to_value)], ["sum"], transB=1),
              helper.make_node("Tanh", ["sum"], ["value"])]
    graph = helper.make_graph(
        nodes, "random", [helper.make_tensor_value_info("observations", TensorProto.FLOAT,
                                                        ["B", *state.observation().shape])],
        [helper.make_tensor_value_info("policy", TensorProto.FLOAT, ["B", state.actions]),
         helper.make_tensor_value_info("value", TensorProto.FLOAT, ["B", 1])], weights)
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()


def by_onnx(state, size=None):
    """An evaluator by ONNX Runtime. ``size``: channels and layers of random weights; None: the example's network."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = random_onnx(state, *size) if size else str(EXAMPLE / "trained.onnx")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda observations: session.run(["policy", "value"], {"observations": observations})


def weights_of(path):
    """The weights in an ONNX file, by name."""
    import onnx

    return {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}


def trained_torch():
    """The example's network with the weights of its ONNX file, into whose convolutions the normalizations went."""
    import torch

    spec = importlib.util.spec_from_file_location("alphazero_connect_four_network", EXAMPLE / "network.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    network = example.Network()
    for part in list(network.modules()):
        if isinstance(part, torch.nn.Sequential):
            for number, layer in enumerate(part):
                if isinstance(layer, torch.nn.BatchNorm2d):
                    part[number] = torch.nn.Identity()
                    part[number - 1].bias = torch.nn.Parameter(torch.zeros(layer.num_features))
    weights = weights_of(EXAMPLE / "trained.onnx")
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            found = weights.get(f"network.{name}")
            if found is None:
                found = weights[f"network.{name.removesuffix('bias')}weight_bias"]
            parameter.copy_(torch.from_numpy(found.reshape(parameter.shape).copy()))
    return example.Evaluating(network).eval()


def random_torch(state, device, channels, layers):
    """A function with the weights of ``random_onnx``, from observations to policies and values."""
    import torch

    convolutions, *rest = random_weights(state, channels, layers)
    convolutions = [torch.from_numpy(array).to(device) for array in convolutions]
    head, to_policy, to_value = (torch.from_numpy(array).to(device) for array in rest)

    def network(seen):
        for weight in convolutions:
            seen = torch.relu(torch.nn.functional.conv2d(seen, weight, padding=1))
        flat = torch.nn.functional.conv2d(seen, head).flatten(1)
        return torch.softmax(flat @ to_policy.T, 1), torch.tanh(flat @ to_value.T)

    return network


def torch_device(name):
    """The device of this name; with an empty one, a GPU if there is one. Raises ValueError if it cannot be used."""
    import torch

    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ValueError(str(error).partition("\n")[0]) from None
    return device


class ByTorch:
    """An evaluator by PyTorch on a device. Its calls end when the results are in numpy's arrays.

    It fills batches up to a power of two, because PyTorch chooses how to compute a convolution for each thread and
    number of rows anew, which takes longer than many calls.
    """

    def __init__(self, state, device, size=None):
        import torch

        self.torch = torch
        self.device = device
        self.network = random_torch(state, device, *size) if size else trained_torch().to(device)
        self.ready = threading.local()
        nothing = numpy.zeros((LEAST, *state.observation().shape), numpy.float32)
        self.prepare(nothing)
        for _ in range(WARM):
            self(nothing)

    def __call__(self, observations):
        torch, rows = self.torch, len(observations)
        with torch.no_grad():
            seen = torch.zeros((self.filled(rows), *observations.shape[1:]), device=self.device)
            seen[:rows] = torch.from_numpy(observations)
            return [part[:rows].cpu().numpy() for part in self.network(seen)]

    def filled(self, rows):
        return max(LEAST, 1 << (rows - 1).bit_length())

    def prepare(self, observations):
        """Makes the first call of a thread with so many rows: it is not to be measured."""
        known = self.ready.__dict__.setdefault("sizes", set())
        size = self.filled(len(observations))
        if size not in known:
            known.add(size)
            self.torch.set_num_threads(1)  # of OpenMP, for this thread; only used by networks on the CPU
            self(observations)

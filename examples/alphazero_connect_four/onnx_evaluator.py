"""The network of an ONNX file as an evaluator of the search, with ONNX Runtime and without PyTorch."""

import onnxruntime


def load(path, threads=2):
    """Returns the function ``f(observations) -> (policy, value)``, which runs on ``threads`` threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def evaluate(observations):
        policy, value = session.run(["policy", "value"], {"observations": observations})
        return policy, value

    return evaluate

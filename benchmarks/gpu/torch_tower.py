"""The float form run by PyTorch, operator by operator: for machines without onnxruntime-gpu.

Numbers that describe shapes stay on the processor as plain integers; everything else is on the
device, in half precision where that is wanted (layer norms in single precision).
"""

from __future__ import annotations

from typing import Any

import numpy as np


class TorchTower:
    """Call it with a (photos, 3, 224, 224) array; the (photos, 512) features come back."""

    def __init__(self, model: Any, device: str, *, half: bool) -> None:
        import torch
        from onnx import numpy_helper

        self._torch, self._device = torch, device
        self._type = torch.float16 if half else torch.float32
        self._nodes = [
            (n.op_type, list(n.input), list(n.output), {a.name: a for a in n.attribute})
            for n in model.graph.node
        ]
        self._input, self._output = model.graph.input[0].name, model.graph.output[0].name
        self._stored = {
            each.name: self._place(numpy_helper.to_array(each)) for each in model.graph.initializer
        }
        for kind, _, outputs, about in self._nodes:
            if kind == "Constant":
                self._stored[outputs[0]] = self._place(numpy_helper.to_array(about["value"].t))

    def _place(self, values: Any) -> Any:
        """Floats on the device, whole numbers as an array here."""
        if values.dtype.kind != "f":
            return np.asarray(values)
        return self._torch.tensor(values).to(self._device, self._type)

    def __call__(self, photos: Any) -> Any:
        torch = self._torch
        with torch.inference_mode():
            known = dict(self._stored)
            given = torch.from_numpy(photos).to(self._device, non_blocking=True)
            known[self._input] = given.to(self._type)
            for kind, inputs, outputs, about in self._nodes:
                if kind != "Constant":
                    values = [known[name] if name else None for name in inputs]
                    known[outputs[0]] = self._run(kind, values, about)
            return known[self._output].float().cpu().numpy()

    def _run(self, kind: str, x: list[Any], about: dict[str, Any]) -> Any:
        torch = self._torch
        here = all(isinstance(each, np.ndarray) for each in x)  # shapes
        if kind in ("Add", "Sub", "Mul", "Div"):
            first, second = (self._same(each, here) for each in x)
            if kind == "Add":
                result = first + second
            elif kind == "Sub":
                result = first - second
            else:
                result = first * second if kind == "Mul" else first / second
            return np.asarray(result) if here else result
        if kind == "MatMul":
            return x[0].to(self._type) @ x[1].to(self._type)
        if kind == "Pow":
            return x[0].float() ** float(x[1])  # of layer norms: squares overflow in halves
        if kind == "Sqrt":
            return x[0].sqrt()
        if kind == "ReduceMean":
            return x[0].float().mean(dim=tuple(about["axes"].ints), keepdim=True)
        if kind == "Softmax":
            return torch.softmax(x[0], dim=about["axis"].i)
        if kind == "Sigmoid":
            return torch.sigmoid(x[0])
        if kind == "Conv":
            return torch.nn.functional.conv2d(x[0], x[1], stride=tuple(about["strides"].ints))
        if kind == "Transpose":
            return x[0].permute(*about["perm"].ints)
        if kind == "Reshape":
            shape = [x[0].shape[i] if n == 0 else int(n) for i, n in enumerate(x[1])]
            return x[0].reshape(shape)
        if kind == "Shape":
            return np.array(x[0].shape, np.int64)
        if kind == "Gather":
            axis = about["axis"].i if "axis" in about else 0
            if isinstance(x[0], np.ndarray):
                return np.asarray(np.take(x[0], x[1], axis=axis))
            index = torch.tensor(x[1], device=x[0].device)
            if index.ndim == 0:
                return x[0].select(axis, int(index))
            taken = torch.index_select(x[0], axis, index.reshape(-1))
            return taken.reshape(*x[0].shape[:axis], *index.shape, *x[0].shape[axis + 1 :])
        if kind == "Unsqueeze":
            axes = tuple(int(i) for i in np.ravel(x[1]))
            if isinstance(x[0], np.ndarray):
                return np.expand_dims(x[0], axes)
            for axis in sorted(axes):
                x[0] = x[0].unsqueeze(axis)
            return x[0]
        if kind == "Concat":
            if here:
                return np.concatenate(x, axis=about["axis"].i)
            return torch.cat([self._same(each, here) for each in x], dim=about["axis"].i)
        if kind == "Cast":
            return x[0]
        if kind == "Slice":
            return x[0][int(x[1][0]) : min(int(x[2][0]), len(x[0]))]
        if kind == "ConstantOfShape":
            from onnx import numpy_helper

            filler = numpy_helper.to_array(about["value"].t) if "value" in about else np.zeros(1)
            return np.full(tuple(int(n) for n in x[0]), filler[0], np.int64)
        if kind == "Equal":
            return x[0] == x[1]
        if kind == "Where":
            return np.where(*x)
        if kind == "Expand":
            return x[0].expand(np.broadcast_shapes(tuple(x[0].shape), tuple(x[1].tolist())))
        raise NotImplementedError(kind)

    def _same(self, value: Any, here: bool) -> Any:
        """One operand: as it is, or on the device where it meets a tensor."""
        if isinstance(value, np.ndarray) and not here:
            return self._torch.tensor(value, device=self._device).to(self._type)
        return value

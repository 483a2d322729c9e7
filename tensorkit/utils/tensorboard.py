"""``utils.tensorboard``: `SummaryWriter` writes what a training tells to files that TensorBoard shows.

It needs the package tensorboard (``pip install tensorboard``), which tensorkit does not bring: without it the import of
this module ends as PyTorch's does, ``No module named 'tensorboard'``.

Source: https://docs.pytorch.org/docs/stable/tensorboard.html
"""

from __future__ import annotations

import datetime
import io
import math
import os
import socket
import time
from collections.abc import Mapping
from typing import Any

import numpy
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2
from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from tensorkit.dtypes import bfloat16
from tensorkit.tensor import Array, Tensor

__all__ = ["SummaryWriter"]

_ABSENT = """
    add_audio add_custom_scalars add_custom_scalars_marginchart add_custom_scalars_multilinechart add_embedding
    add_figure add_graph add_histogram_raw add_image_with_boxes add_mesh add_onnx_graph add_pr_curve add_pr_curve_raw
    add_tensor add_video
"""


def __dir__() -> list[str]:
    return __all__


class SummaryWriter:
    """Writes numbers, histograms, images and texts of a training to a folder, for TensorBoard.

    Args:
        log_dir: the folder; by default one below ``runs`` that is named after the time and this computer.
        comment: what is put behind that name.
        purge_step: from which step on TensorBoard forgets what an earlier run wrote into the same folder.
        max_queue: how many entries may wait for the disk. flush_secs: and for how long, in seconds.
        filename_suffix: what is put behind the names of the files.

    Raises:
        NotImplementedError: for methods of PyTorch's that are not here, such as ``add_graph``.

    Source: https://docs.pytorch.org/docs/stable/tensorboard.html#torch.utils.tensorboard.writer.SummaryWriter
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        now = datetime.datetime.now().strftime("%b%d_%H-%M-%S")
        self.log_dir = log_dir or os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self._options = max_queue, flush_secs, filename_suffix
        self._writers: dict[str, Any] = {}
        self._writer(self.log_dir)
        if purge_step is not None:
            self._put(Event(file_version="brain.Event:2"), purge_step, None)
            self._put(Event(session_log=SessionLog(status=SessionLog.START)), purge_step, None)
        widths = [1e-12]
        while widths[-1] * 1.1 < 1e20:
            widths.append(widths[-1] * 1.1)
        self.default_bins = [*(-width for width in reversed(widths)), 0.0, *widths]

    def __getattr__(self, name: str) -> Any:
        if name in _ABSENT.split():
            raise NotImplementedError(f"tensorkit's SummaryWriter has no {name}.")
        raise AttributeError(f"'SummaryWriter' object has no attribute '{name}'")

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- files ----------------------------------------------------------------------------------------------------

    def _writer(self, folder: Any) -> Any:
        """What writes into a folder; made again after `close`."""
        folder = str(folder)
        if folder not in self._writers:
            self._writers[folder] = EventFileWriter(folder, *self._options)
        return self._writers[folder]

    def _put(self, event: Any, step: Any, walltime: float | None, folder: Any = None) -> None:
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self._writer(folder or self.log_dir).add_event(event)

    def _put_value(self, step: Any, walltime: float | None, **value: Any) -> None:
        self._put(Event(summary=Summary(value=[Summary.Value(**value)])), step, walltime)

    def get_logdir(self) -> Any:
        """The folder."""
        return self.log_dir

    def flush(self) -> None:
        """Write to the disk what waits for it."""
        for writer in self._writers.values():
            writer.flush()

    def close(self) -> None:
        """Write what waits, and close the files; what comes later goes into new ones."""
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    # -- entries --------------------------------------------------------------------------------------------------

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Write one number.

        Args:
            tag: its name. scalar_value: the number, or a tensor of one element. global_step: the step that it is of.
            walltime: the time, in seconds; now by default.
            new_style: whether it is written as a tensor. double_precision: of float64.

        Raises:
            AssertionError: when the tensor has more elements.
        """
        number = _number(scalar_value)
        if not new_style:
            self._put_value(global_step, walltime, tag=tag, simple_value=number)
            return
        proto = TensorProto(float_val=[number], dtype="DT_FLOAT")
        if double_precision:
            proto = TensorProto(double_val=[number], dtype="DT_DOUBLE")
        self._put_value(global_step, walltime, tag=tag, tensor=proto, metadata=_metadata("scalars"))

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Write several numbers that are shown in one picture; each name has a folder of its own."""
        walltime = time.time() if walltime is None else walltime
        for tag, number in tag_scalar_dict.items():
            folder = f"{self.log_dir}/{main_tag.replace('/', '_')}_{tag}"
            value = Summary.Value(tag=main_tag, simple_value=_number(number))
            self._put(Event(summary=Summary(value=[value])), global_step, walltime, folder)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Write how the elements of a tensor are spread.

        Args:
            tag: its name. values: the tensor.
            bins: limits of the bins, or how NumPy chooses them; by default they grow by a tenth from zero outwards.
            max_bins: how many bins there may be; more are put together.

        Raises:
            ValueError: when there are no elements.
        """
        limits = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        histo = _histogram(_array(values).astype(float).reshape(-1), limits, max_bins)
        self._put_value(global_step, walltime, tag=tag, histo=histo)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Write a picture; its values are from 0 to 1, or of uint8. It needs the package pillow.

        Args:
            tag: its name. img_tensor: the picture.
            dataformats: what its dimensions are: channels ``C``, height ``H``, width ``W``, and pictures ``N``.
        """
        array = _as_picture(_array(img_tensor), dataformats)
        scaled = array.astype(numpy.float32) * (1 if array.dtype == numpy.uint8 else 255)
        self._put_value(global_step, walltime, tag=tag, image=_png(scaled.clip(0, 255).astype(numpy.uint8)))

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Write several pictures as one, in rows of eight: see `add_image`."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_text(
        self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Write a text."""
        proto = TensorProto(
            dtype="DT_STRING",
            string_val=[text_string.encode()],
            tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)]),
        )
        told = _metadata("text", TextPluginData(version=0))
        self._put_value(global_step, walltime, tag=f"{tag}/text_summary", tensor=proto, metadata=told)

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list[Any]] | None = None,
        run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """Write how a training was set up and what came of it, to be compared with others.

        Args:
            hparam_dict: numbers and texts by name. metric_dict: numbers by name.
            hparam_domain_discrete: the values that a setting can have.
            run_name: the folder below this one that it is written to; by default the time.

        Raises:
            TypeError: when an argument is not a dictionary, or the values of a setting are of another type.
            ValueError: when a setting is neither number nor text.
        """
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        parts = _told_of_hparams(hparam_dict, metric_dict, hparam_domain_discrete or {})
        with SummaryWriter(os.path.join(self.log_dir, run_name or str(time.time()))) as writer:
            for tag, part in parts.items():
                content = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **part)
                told = _metadata(metadata.PLUGIN_NAME, content)
                writer._put_value(global_step, None, tag=tag, metadata=told)
            for name, number in metric_dict.items():
                writer.add_scalar(name, number, global_step)


def _metadata(plugin: str, content: Any = None) -> Any:
    data = b"" if content is None else content.SerializeToString()
    return SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin, content=data))


def _array(value: Any) -> Array:
    if isinstance(value, numpy.ndarray):
        return value
    if numpy.isscalar(value):
        return numpy.array([value])
    if isinstance(value, Tensor):
        value = value.half() if value.dtype is bfloat16 else value
        return value.detach().cpu().numpy()  # type: ignore[no-any-return]
    raise NotImplementedError(f"Got {type(value)}, but numpy array or torch tensor are expected.")


def _number(value: Any) -> float:
    array = _array(value).squeeze()
    if array.ndim:
        raise AssertionError(
            "Tensor should contain one element (0 dimensions).             "
            f"Was given size: {array.size} and {array.ndim} dimensions."
        )
    return float(array)


def _histogram(values: Array, bins: Any, most: int | None) -> Any:
    """The counts from the first bin to the last that is not empty; an empty one before tells where they begin."""
    if not values.size:
        raise ValueError("The input has no element.")
    counts, limits = numpy.histogram(values, bins=bins)
    if most is not None and len(counts) > most:
        together = len(counts) // most
        if left := len(counts) % together:
            counts = numpy.pad(counts, (0, together - left))
        counts = counts.reshape(-1, together).sum(axis=-1)
        limits = numpy.append(limits[:-1:together], limits[-1])
    filled = numpy.flatnonzero(counts)
    first, end = (int(filled[0]), int(filled[-1]) + 1) if filled.size else (len(counts), 1)
    shown = counts[first - 1 : end] if first else numpy.concatenate([[0], counts[:end]])
    if not shown.size:
        raise ValueError("The histogram is empty, please file a bug report.")
    return HistogramProto(
        min=values.min(),
        max=values.max(),
        num=len(values),
        sum=values.sum(),
        sum_squares=values.dot(values),
        bucket_limit=limits[first : end + 1].tolist(),
        bucket=shown.tolist(),
    )


def _as_picture(array: Array, dims: str) -> Array:
    """A picture, or several in rows of eight, of the dimensions height, width and three channels."""
    if len(set(dims)) != len(dims):
        raise AssertionError(
            f"You can not use the same dimension shorthand twice.             input_format: {dims}"
        )
    if array.ndim != len(dims):
        raise AssertionError(
            "size of input tensor and input format are different.         "
            f"tensor shape: {array.shape}, input_format: {dims}"
        )
    order = {2: "HW", 3: "HWC", 4: "NHWC"}[len(dims)]
    array = array.transpose([dims.upper().find(one) for one in order])
    if array.ndim == 2:
        array = array[..., None]
    if array.shape[-1] == 1:
        array = numpy.repeat(array, 3, axis=-1)
    return array if array.ndim == 3 else _in_rows(array)


def _in_rows(pictures: Array) -> Array:
    count, height, width, channels = pictures.shape
    if channels != 3:
        raise AssertionError("Input should be a 4D numpy array with 3 channels")
    columns = min(count, 8)
    made = numpy.zeros((height * math.ceil(count / columns), width * columns, 3), pictures.dtype)
    for index, picture in enumerate(pictures):
        y, x = index // columns * height, index % columns * width
        made[y : y + height, x : x + width] = picture
    return made


def _png(array: Array) -> Any:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(array).save(file, format="PNG")
    height, width, channels = array.shape
    return Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=file.getvalue()
    )


def _told_of_hparams(
    settings: dict[str, Any], metrics: dict[str, Any], domains: dict[str, list[Any]]
) -> dict[str, Any]:
    """What the three entries of a run hold, by their tags."""
    for name, values in domains.items():
        known = isinstance(values, list) and name in settings
        if not known or not all(isinstance(one, type(settings[name])) for one in values):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as hparam_dict[{name}]."
            )
    start, infos = plugin_data_pb2.SessionStartInfo(), []
    for name, value in settings.items():
        if value is None:
            continue
        if isinstance(value, Tensor):
            value = float(_array(value)[0])
        if not isinstance(value, (int, float, str)):
            raise ValueError("value should be one of int, float, str, bool, or tensorkit.Tensor")
        kind, label = ("string_value", "STRING") if isinstance(value, str) else ("number_value", "FLOAT64")
        setattr(start.hparams[name], kind, value)
        info = api_pb2.HParamInfo(name=name, type=api_pb2.DataType.Value(f"DATA_TYPE_{label}"))
        if name in domains:
            info.domain_discrete.extend(domains[name])
        infos.append(info)
    measured = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in metrics]
    ended = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    return {
        metadata.EXPERIMENT_TAG: {
            "experiment": api_pb2.Experiment(hparam_infos=infos, metric_infos=measured)
        },
        metadata.SESSION_START_INFO_TAG: {"session_start_info": start},
        metadata.SESSION_END_INFO_TAG: {"session_end_info": ended},
    }

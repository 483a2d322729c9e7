"""Data sets from files that the tests write; nothing is fetched."""

from __future__ import annotations

import gzip
import hashlib
import io
import pickle
import tarfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, ClassVar

import numpy
import pytest
from PIL import Image

import tensorkit as tk
from tensorkit.vision.datasets import CIFAR10, CIFAR100, MNIST, FakeData, FashionMNIST, ImageFolder, utils
from tensorkit.vision.datasets.mnist import read_idx
from tensorkit.vision.transforms import Compose, Lambda, Normalize, ToTensor
from tests.torch_oracle import require_torch

RNG = numpy.random.default_rng(0)


def idx(array: Any) -> bytes:
    head = bytes([0, 0, 8, array.ndim]) + numpy.array(array.shape, ">i4").tobytes()
    return head + array.tobytes()


@pytest.fixture
def digits(tmp_path: Path) -> Path:
    for name in ("MNIST", "FashionMNIST"):
        raw = tmp_path / name / "raw"
        raw.mkdir(parents=True)
        for part, count in (("train", 5), ("t10k", 3)):
            images = numpy.arange(count * 28 * 28, dtype=numpy.uint8).reshape(count, 28, 28)
            (raw / f"{part}-images-idx3-ubyte").write_bytes(idx(images))
            (raw / f"{part}-labels-idx1-ubyte").write_bytes(idx(numpy.arange(count, dtype=numpy.uint8)))
    return tmp_path


@pytest.mark.parametrize("kind", [MNIST, FashionMNIST])
def test_digits(kind: Any, digits: Path) -> None:
    data = kind(
        str(digits), train=False, transform=Compose([ToTensor(), Normalize((0.5,), (0.5,))]), download=True
    )
    image, target = data[1]
    assert (image.shape, image.dtype, target, type(target)) == ((1, 28, 28), tk.float32, 1, int)
    assert image[0, 0, 3].item() == pytest.approx((((784 + 3) % 256) / 255 - 0.5) / 0.5)
    assert (data.data.dtype, data.data.shape, data.targets.dtype) == (tk.uint8, (3, 28, 28), tk.int64)
    assert repr(data) == (
        f"Dataset {kind.__name__}\n    Number of datapoints: 3\n    Root location: {digits}\n    Split: Test\n"
        "    StandardTransform\nTransform: Compose(\n               ToTensor()\n"
        "               Normalize(mean=(0.5,), std=(0.5,))\n           )"
    )
    assert len(kind(digits)) == 5
    assert isinstance(kind(digits)[0][0], Image.Image)
    assert data.class_to_idx[data.classes[4]] == 4
    with pytest.warns(UserWarning, match=r"train_data has been renamed data"):
        assert data.train_data is data.data


def test_digits_come_in_batches(digits: Path) -> None:
    loader = tk.utils.data.DataLoader(MNIST(digits, transform=ToTensor()), batch_size=4)
    assert [(x.shape, y.tolist()) for x, y in loader] == [
        ((4, 1, 28, 28), [0, 1, 2, 3]),
        ((1, 1, 28, 28), [4]),
    ]


def test_no_digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match=r"^Dataset not found. You can use download=True to download it$"):
        MNIST(tmp_path)

    def offline(*request: Any, **how: Any) -> Any:
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(urllib.request, "urlopen", offline)
    with pytest.raises(
        RuntimeError, match=r"(?s)^Error downloading train-images.*is there a network here\? Else put"
    ):
        MNIST(tmp_path, download=True)
    (tmp_path / "bad").write_bytes(b"\0\0\x08\x01\0\0\0\x09abc")
    with pytest.raises(ValueError, match="has 3 numbers, not 9"):
        read_idx(tmp_path / "bad")


def test_a_file_is_fetched_checked_and_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        info = tarfile.TarInfo("inner/a.txt")
        info.size = 5
        archive.addfile(info, io.BytesIO(b"hello"))
    content = packed.getvalue()
    asked: list[str] = []

    class Answer(io.BytesIO):
        headers: ClassVar[dict[str, str]] = {"Content-Length": str(len(content))}

    def urlopen(request: Any, timeout: float) -> Answer:
        asked.append(request.full_url)
        return Answer(content)

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    for _ in range(2):
        utils.download_and_extract_archive("http://a/b.tar.gz", tmp_path, md5=md5)
    assert (tmp_path / "inner" / "a.txt").read_text(encoding="utf-8") == "hello"
    assert asked == ["http://a/b.tar.gz"]
    with pytest.raises(RuntimeError, match=r"^File not found or corrupted\.$"):
        utils.download_url("http://a/c.tar.gz", tmp_path, md5="0")
    (tmp_path / "d.gz").write_bytes(gzip.compress(b"x"))
    assert utils.extract_archive(tmp_path / "d.gz").read_bytes() == b"x"
    with pytest.raises(RuntimeError, match=r"Unknown compression or archive type: '\.txt'"):
        utils.extract_archive(tmp_path / "inner" / "a.txt")


# -- CIFAR ----------------------------------------------------------------------------------------------------------


class Python2(pickle._Pickler):  # type: ignore[name-defined, misc]
    """Writes text and bytes as Python 2 did, in protocol 2: what the published files are."""

    dispatch: ClassVar[Any] = dict(pickle._Pickler.dispatch)  # type: ignore[attr-defined]

    def save_bytes(self, value: Any) -> None:
        content = value if isinstance(value, bytes) else value.encode("latin1")
        self.write(pickle.BINSTRING + len(content).to_bytes(4, "little") + content)
        self.memoize(value)

    dispatch[bytes] = save_bytes
    dispatch[str] = save_bytes


def pickled(value: Any) -> bytes:
    file = io.BytesIO()
    Python2(file, 2).dump(value)
    return file.getvalue().replace(b"numpy._core.", b"numpy.core.")


def small(kind: Any) -> Any:
    """A class of CIFAR for files of other checksums."""
    wanted = {name: [[one, None] for one, _ in getattr(kind, name)] for name in ("train_list", "test_list")}
    return type(kind.__name__, (kind,), {**wanted, "meta": {**kind.meta, "md5": None}})


def write_cifar(root: Path, kind: Any, binary: bool) -> Any:
    names = [f"class{number}" for number in range(10)]
    folder = root / (kind._binary_folder if binary else kind.base_folder)
    folder.mkdir()
    everything = {}
    for name, _ in kind.train_list + kind.test_list:
        data, labels = RNG.integers(0, 256, (4, 3072), numpy.uint8), [3, 1, 4, 1]
        everything[name] = data
        if binary:
            before = numpy.array([[0] * (kind._labels - 1) + [label] for label in labels], numpy.uint8)
            (folder / f"{name}.bin").write_bytes(numpy.hstack([before, data]).tobytes())
        else:
            key = "labels" if kind.__name__ == "CIFAR10" else "fine_labels"
            (folder / name).write_bytes(pickled({"data": data, key: labels, "batch_label": "one"}))
    if binary:
        (folder / kind._binary_meta).write_text("\n".join([*names, ""]), encoding="utf-8")
    else:
        (folder / kind.meta["filename"]).write_bytes(pickled({kind.meta["key"]: names}))
    return everything


@pytest.mark.parametrize("binary", [False, True], ids=["pickles", "binary"])
@pytest.mark.parametrize("kind", [CIFAR10, CIFAR100])
def test_small_pictures(kind: Any, binary: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = write_cifar(tmp_path, kind, binary)
    made = small(kind)
    data = made(tmp_path, train=False, download=not binary)
    assert capsys.readouterr().out == ("" if binary else "Files already downloaded and verified\n")
    first = written[kind.test_list[0][0]][0].reshape(3, 32, 32)
    assert (data.data.shape, data.data.dtype, data.targets) == ((4, 32, 32, 3), numpy.uint8, [3, 1, 4, 1])
    assert (numpy.asarray(data[0][0]).transpose(2, 0, 1) == first).all()
    assert data.classes[3] == "class3"
    assert data.class_to_idx["class7"] == 7
    assert len(made(tmp_path)) == 4 * len(kind.train_list)
    assert repr(data) == (
        f"Dataset {kind.__name__}\n    Number of datapoints: 4\n    Root location: {tmp_path}\n    Split: Test"
    )
    with pytest.warns(UserWarning, match="test_labels has been renamed targets"):
        assert data.test_labels is data.targets


def test_small_pictures_that_are_damaged_or_hostile(tmp_path: Path) -> None:
    write_cifar(tmp_path, CIFAR10, False)
    with pytest.raises(
        RuntimeError, match=r"^Dataset not found or corrupted. You can use download=True to download it$"
    ):
        CIFAR10(tmp_path)
    (tmp_path / CIFAR10.base_folder / "test_batch").write_bytes(pickle.dumps(print, protocol=2))
    with pytest.raises(pickle.UnpicklingError, match="print"):
        small(CIFAR10)(tmp_path, train=False)


# -- folders, and noise ---------------------------------------------------------------------------------------------


def test_pictures_in_folders(tmp_path: Path) -> None:
    for name in ("dog/b.png", "cat/2/c.JPG", "cat/a.png"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("L", (3, 2), 100).save(path)
    (tmp_path / "cat" / "notes.txt").write_text("no picture", encoding="utf-8")
    data = ImageFolder(tmp_path, transform=ToTensor(), target_transform=Lambda(lambda y: -y))
    assert (data.classes, data.class_to_idx) == (["cat", "dog"], {"cat": 0, "dog": 1})
    assert data.imgs == [
        (str(tmp_path / n), c) for n, c in (("cat/a.png", 0), ("cat/2/c.JPG", 0), ("dog/b.png", 1))
    ]
    assert (data[2][0].shape, data[2][1], data.targets) == ((3, 2, 3), -1, [0, 0, 1])
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        FileNotFoundError,
        match=r"^Found no valid file for the classes empty\. Supported extensions are: \.jpg",
    ):
        ImageFolder(tmp_path)
    assert len(ImageFolder(tmp_path, allow_empty=True)) == 3
    with pytest.raises(FileNotFoundError, match="Couldn't find any class folder in"):
        ImageFolder(tmp_path / "empty")


def test_noise() -> None:
    tk.manual_seed(1)
    before = tk.get_rng_state()
    data = FakeData(size=3, image_size=(3, 4, 5), transform=ToTensor())
    image, target = data[2]
    assert tk.equal(image, data[2][0])
    assert tk.equal(before, tk.get_rng_state())
    assert (image.shape, type(target)) == ((3, 4, 5), int)
    with pytest.raises(IndexError, match="FakeData index out of range"):
        data[3]


@pytest.mark.parity
def test_noise_is_pytorchs() -> None:
    torch = require_torch()
    torch.manual_seed(2)
    picture, label = torch.randn(3, 4, 5), torch.randint(0, 10, (1,)).item()
    image, target = FakeData(size=3, image_size=(3, 4, 5), transform=ToTensor())[2]
    assert ((image * 255).round().tolist(), target) == (picture.mul(255).byte().float().tolist(), label)

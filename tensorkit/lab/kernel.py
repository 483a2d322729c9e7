"""A notebook's kernel, for as long as the notebook is run from the command line."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from .errors import LabError


@contextlib.contextmanager
def started(client: Any, name: str) -> Iterator[None]:
    """The kernel of an nbclient's notebook, which records no answers; it ends with the block, by Ctrl-C too.

    Args:
        client: the `nbclient.NotebookClient`.
        name: what the notebook is called.

    Raises:
        LabError: when its kernel is unknown or does not start.
    """
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import DeadKernelError

    surroundings = {
        **os.environ,
        "TENSORKIT_PROGRESS": "0",
        "TTY_INTERACTIVE": "0",
    }  # rich's bars are not output
    # What a kernel says on its own account (when it is stopped while it works, for one) is not the command's.
    with tempfile.TemporaryFile() as aside, contextlib.ExitStack() as stack:
        try:
            stack.enter_context(client.setup_kernel(env=surroundings, stderr=aside))
        except NoSuchKernel as error:
            raise LabError(
                f"{name} asks for the kernel {error.name!r}, which is not on this machine; "
                "in JupyterLab, choose one that is (Kernel → Change Kernel…) and save the notebook."
            ) from error
        except (RuntimeError, OSError, DeadKernelError) as error:
            aside.seek(0)
            said = aside.read().decode(errors="replace").splitlines()
            raise LabError(f"The kernel for {name} did not start: {said[-1] if said else error}") from error
        try:
            yield
        except KeyboardInterrupt:
            client.shutdown_kernel = "immediate"  # asked to end, a kernel at work would be waited for
            raise

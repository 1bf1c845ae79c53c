"""Files that an interrupt neither leaks nor leaves half written.

Python runs signal handlers between two of its own steps, so what they raise (KeyboardInterrupt) may come after a file
is opened and before anything refers to it. Native code has no such moment: here it opens, replaces and closes.
"""

import errno
import io
import os
import stat
import time

PATIENCE = 2.0  # seconds to wait for a file that another process holds

cdef Py_ssize_t PIECE = 1 << 24  # bytes that are written at a time: Ctrl-C comes through in between
cdef tuple HELD = (5, 32)  # ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION: Windows, of a file that somebody has open
cdef int BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)


def reading(name, function):
    """What ``function`` returns for the file ``name``, opened for reading bytes without a buffer. Raises OSError, also
    where something else than a file is there: to read it might never end."""
    check_regular(name)
    file = patiently(name, io.open, (name, "rb", 0))
    try:
        return function(file)
    finally:
        file.close()


def replace_file(name, parts):
    """Writes ``parts``, an iterable of buffers, as the file ``name``: completely or not at all.

    They are written to a new file in the same folder, which then replaces the one of this name, or the one that a link
    of this name leads to. It has the mode of the old one. If something fails, the old file stays and the new one is
    deleted. Raises OSError.
    """
    cdef int opened = -1, closing
    name = target_of(name)
    folder = os.path.dirname(name)
    word = f".mcts_core-{os.urandom(8).hex()}.tmp"
    temporary = os.path.join(folder, os.fsencode(word) if isinstance(name, bytes) else word)
    replaced = False
    try:
        opened = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o666)
        copy_mode(name, temporary)
        for part in parts:
            write_all(opened, part)
        os.fsync(opened)
        closing, opened = opened, -1
        os.close(closing)
        patiently(name, os.replace, (temporary, name))
        replaced = True
    finally:
        if opened >= 0:
            close_quietly(opened)
        if not replaced:
            unlink_quietly(temporary)
    sync_folder(folder or ("." if isinstance(name, str) else b"."))


def target_of(name):
    """The file that ``replace_file`` replaces. Raises OSError where it may not, or where something else than a file is.
    """
    if not os.path.basename(name):  # realpath drops a separator at the end
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    name = os.path.realpath(name)
    try:
        check_regular(name)
    except FileNotFoundError:
        return name
    if not os.access(name, os.W_OK):  # to replace it, only the folder must be writable
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    return name


cdef int check_regular(object name) except -1:
    mode = os.stat(name).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", name)
    return 0


cdef object patiently(object name, object work, tuple arguments):
    """What ``work`` returns, called again for ``PATIENCE`` while another process holds the file ``name``."""
    cdef double deadline = time.monotonic() + PATIENCE, pause = 0.001
    while True:
        try:
            return work(*arguments)
        except PermissionError as error:
            if getattr(error, "winerror", None) not in HELD:
                raise
            if time.monotonic() >= deadline:
                reason = f"{error.strerror}; close the file where it is open, or name another one"
                raise PermissionError(error.errno, reason, name) from error
        time.sleep(pause)
        pause = min(2 * pause, 0.1)


cdef int copy_mode(object name, object temporary) except -1:
    try:
        os.chmod(temporary, stat.S_IMODE(os.stat(name).st_mode))
    except OSError:
        pass
    return 0


cdef int write_all(int file, object part) except -1:
    view = memoryview(part).cast("B")
    while len(view):
        view = view[os.write(file, view[:PIECE]):]
    return 0


cdef int close_quietly(int file) except -1:
    try:
        os.close(file)
    except OSError:
        pass
    return 0


cdef int unlink_quietly(object name) except -1:
    try:
        patiently(name, os.unlink, (name,))
    except OSError:
        pass
    return 0


cdef int sync_folder(object folder) except -1:
    """Writes the new name itself to the disk, where the system opens folders."""
    cdef int opened
    try:
        opened = os.open(folder, os.O_RDONLY | BINARY)
    except OSError:
        return 0
    try:
        os.fsync(opened)
    except OSError:
        pass
    finally:
        os.close(opened)
    return 0

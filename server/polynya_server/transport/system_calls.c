/* recvmsg(2) and send(2) for sockets that never wait, without letting go of the interpreter.
 *
 * uninterrupted.py says why. Nothing here gives another thread the interpreter: a call that cannot
 * be carried out at once fails with EAGAIN instead, whatever the socket's own mode is. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/uio.h>

#ifndef MSG_NOSIGNAL /* where it is missing, Python ignores the signal */
#define MSG_NOSIGNAL 0
#endif

#define MOST_RECEIVED 16384 /* bytes: on the stack until they are copied; CHUNK of receive_times.py */
#define ANCILLARY 64        /* bytes: room for one message, the time of arrival */

/* Whether two arguments begin with the number of a socket; if not, an error is set. */
static int begin_with_descriptor(PyObject *const *arguments, Py_ssize_t count, int *descriptor) {
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "two arguments are expected, not %zd", count);
        return 0;
    }
    long number = PyLong_AsLong(arguments[0]);
    if (number == -1 && PyErr_Occurred()) return 0;
    if (number < INT_MIN || number > INT_MAX) {
        PyErr_SetString(PyExc_OverflowError, "a descriptor is a C int");
        return 0;
    }
    *descriptor = (int)number;
    return 1;
}

/* A list of (level, kind, bytes); NULL with an error set. */
static PyObject *told_by_the_kernel(struct msghdr *message) {
    PyObject *told = PyList_New(0);
    if (told == NULL) return NULL;
    for (struct cmsghdr *one = CMSG_FIRSTHDR(message); one != NULL; one = CMSG_NXTHDR(message, one)) {
        if (one->cmsg_len < CMSG_LEN(0)) continue;
        const char *end = (const char *)message->msg_control + message->msg_controllen;
        const char *data = (const char *)CMSG_DATA(one);
        Py_ssize_t size = (Py_ssize_t)(one->cmsg_len - CMSG_LEN(0));
        if (size > end - data) size = end - data; /* there was no room for the rest */
        PyObject *item = Py_BuildValue("(iiy#)", one->cmsg_level, one->cmsg_type, data, size);
        if (item == NULL || PyList_Append(told, item) < 0) {
            Py_XDECREF(item);
            Py_DECREF(told);
            return NULL;
        }
        Py_DECREF(item);
    }
    return told;
}

PyDoc_STRVAR(recvmsg_doc,
"recvmsg(descriptor, size, /)\n--\n\n"
"What has come, as ``socket.recvmsg`` returns it: 16 KiB at most, and one ancillary message.\n\n"
"Raises:\n    BlockingIOError: nothing has come.\n    OSError: the connection is broken.");

static PyObject *call_recvmsg(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    int descriptor;
    if (!begin_with_descriptor(arguments, count, &descriptor)) return NULL;
    Py_ssize_t size = PyLong_AsSsize_t(arguments[1]);
    if (size == -1 && PyErr_Occurred()) return NULL;
    if (size < 0) {
        PyErr_SetString(PyExc_ValueError, "the size is below zero");
        return NULL;
    }
    char data[MOST_RECEIVED];
    union { struct cmsghdr for_alignment; char bytes[ANCILLARY]; } ancillary;
    struct iovec piece = {data, size < MOST_RECEIVED ? (size_t)size : MOST_RECEIVED};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1,
                             .msg_control = ancillary.bytes, .msg_controllen = sizeof ancillary.bytes};
    ssize_t received = recvmsg(descriptor, &message, MSG_DONTWAIT);
    if (received < 0) return PyErr_SetFromErrno(PyExc_OSError);
    PyObject *told = told_by_the_kernel(&message);
    if (told == NULL) return NULL;
    return Py_BuildValue("(y#NiO)", data, (Py_ssize_t)received, told, message.msg_flags, Py_None);
}

PyDoc_STRVAR(send_doc,
"send(descriptor, data, /)\n--\n\n"
"How many of the bytes the operating system has taken.\n\n"
"Raises:\n    BlockingIOError: none, at present.\n    OSError: the connection is broken.");

static PyObject *call_send(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    int descriptor;
    if (!begin_with_descriptor(arguments, count, &descriptor)) return NULL;
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(arguments[1], &data, &size) < 0) return NULL;
    ssize_t sent = send(descriptor, data, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) return PyErr_SetFromErrno(PyExc_OSError);
    return PyLong_FromSsize_t(sent);
}

static PyMethodDef methods[] = {
    {"recvmsg", (PyCFunction)(void (*)(void))call_recvmsg, METH_FASTCALL, recvmsg_doc},
    {"send", (PyCFunction)(void (*)(void))call_send, METH_FASTCALL, send_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "polynya_server.transport.system_calls",
    .m_doc = "recvmsg and send for sockets that never wait, without letting go of the interpreter.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit_system_calls(void) { return PyModuleDef_Init(&definition); }

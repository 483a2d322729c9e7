/* A CUDA driver without a GPU: as much of libcuda.so.1 as cuda.core and cuda.bindings call for allocations, copies,
   launches, streams and events. Device memory is the host's, kernels are not run, and every call that gives work to a
   device, or waits for it, is written to the file that $STUB_DRIVER_LOG names. $STUB_DRIVER_FAIL names a call that
   reports a device-side assert. What is not here is said to be unsupported. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Status;
typedef unsigned long long Address;

enum { SUCCESS = 0, OUT_OF_MEMORY = 2, ASSERT = 710, NOT_SUPPORTED = 801 };
enum { DEVICES = 2, MULTIPROCESSORS = 132 };
static const size_t CAPACITY = 1ull << 33;



static Status say(const char *call, const char *format, ...) {
    static FILE *log;
    static int opened;
    if (!opened) {
        const char *path = getenv("STUB_DRIVER_LOG");
        log = path && *path ? fopen(path, "a") : NULL;
        opened = 1;
    }
    if (log) {
        va_list values;
        va_start(values, format);
        fprintf(log, "%s", call);
        vfprintf(log, format, values);
        fprintf(log, "\n");
        fflush(log);
        va_end(values);
    }
    const char *bad = getenv("STUB_DRIVER_FAIL");
    return bad && strcmp(bad, call) == 0 ? ASSERT : SUCCESS;
}

static Status unsupported(void) { return NOT_SUPPORTED; }

/* -- which devices -- */

Status cuInit(unsigned flags) { return SUCCESS; }
Status cuDriverGetVersion(int *version) { return *version = 13000, SUCCESS; }
Status cuDeviceGetCount(int *count) { return *count = DEVICES, SUCCESS; }
Status cuDeviceGet(int *device, int index) { return *device = index, SUCCESS; }
Status cuDeviceGetName(char *name, int length, int device) { return snprintf(name, length, "stub GPU"), SUCCESS; }
Status cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = CAPACITY, SUCCESS; }
Status cuDeviceGetUuid_v2(char *uuid, int device) { return memset(uuid, device, 16), SUCCESS; }
Status cuDeviceCanAccessPeer(int *can, int device, int peer) { return *can = device != peer, SUCCESS; }

Status cuDeviceGetAttribute(int *value, int attribute, int device) {
    switch (attribute) {
    case 1: *value = 1024; break;           /* threads of a block */
    case 10: *value = 32; break;            /* threads of a warp */
    case 16: *value = MULTIPROCESSORS; break;
    case 75: *value = 9; break;             /* compute capability, major */
    case 76: *value = 0; break;             /* and minor */
    default: *value = 1;
    }
    return SUCCESS;
}

Status cuGetErrorName(int status, const char **name) {
    *name = status == ASSERT ? "CUDA_ERROR_ASSERT" : status == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_STUB";
    return SUCCESS;
}

Status cuGetErrorString(int status, const char **text) {
    *text = status == ASSERT ? "device-side assert triggered" : status == OUT_OF_MEMORY ? "out of memory" : "stub";
    return SUCCESS;
}

/* -- contexts: the address is the device's number -- */

static __thread uintptr_t current;
static uintptr_t context_of(int device) { return 0x1000 + device; }

Status cuDevicePrimaryCtxRetain(void **context, int device) { return *context = (void *)context_of(device), SUCCESS; }
Status cuDevicePrimaryCtxRelease_v2(int device) { return SUCCESS; }
Status cuCtxSetCurrent(void *context) { return current = (uintptr_t)context, SUCCESS; }
Status cuCtxGetCurrent(void **context) { return *context = (void *)current, SUCCESS; }
Status cuCtxGetDevice(int *device) { return *device = current ? (int)(current - 0x1000) : 0, SUCCESS; }
Status cuCtxPushCurrent_v2(void *context) { return cuCtxSetCurrent(context); }
Status cuCtxPopCurrent_v2(void **context) { return cuCtxGetCurrent(context); }
Status cuCtxSynchronize(void) { return say("cuCtxSynchronize", " device %d", (int)(current - 0x1000)); }

/* -- memory -- */

static size_t taken;

static Status take(Address *address, size_t bytes) {
    if (taken + bytes > CAPACITY) return OUT_OF_MEMORY;
    size_t *block = calloc(1, bytes + 64);
    if (!block) return OUT_OF_MEMORY;
    taken += *block = bytes;
    *address = (Address)(uintptr_t)block + 64;
    return SUCCESS;
}

static void give_back(Address address) {
    size_t *block = (size_t *)(uintptr_t)(address - 64);
    taken -= *block;
    free(block);
}

Status cuDeviceGetDefaultMemPool(void **pool, int device) { return *pool = (void *)(uintptr_t)(0x2000 + device), SUCCESS; }
Status cuDeviceGetMemPool(void **pool, int device) { return cuDeviceGetDefaultMemPool(pool, device); }
Status cuMemGetDefaultMemPool(void **pool, void *location, int kind) { return cuDeviceGetDefaultMemPool(pool, 0); }
Status cuMemGetMemPool(void **pool, void *location, int kind) { return cuDeviceGetDefaultMemPool(pool, 0); }
Status cuMemPoolGetAttribute(void *pool, int attribute, void *value) { return *(unsigned long long *)value = 0, SUCCESS; }
Status cuMemPoolSetAttribute(void *pool, int attribute, void *value) { return SUCCESS; }
Status cuMemGetInfo_v2(size_t *left, size_t *total) { return *left = CAPACITY - taken, *total = CAPACITY, SUCCESS; }

Status cuMemAllocFromPoolAsync(Address *address, size_t bytes, void *pool, void *stream) {
    Status status = take(address, bytes);
    return status ? status : say("cuMemAlloc", " %zu", bytes);
}
Status cuMemAllocAsync(Address *address, size_t bytes, void *stream) { return cuMemAllocFromPoolAsync(address, bytes, 0, stream); }
Status cuMemFreeAsync(Address address, void *stream) { return give_back(address), say("cuMemFree", ""); }
Status cuMemHostAlloc(void **address, size_t bytes, unsigned flags) { return *address = calloc(1, bytes), say("cuMemHostAlloc", " %zu", bytes); }
Status cuMemFreeHost(void *address) { return free(address), say("cuMemFreeHost", ""); }

static Status move(const char *call, void *to, const void *from, size_t bytes, void *stream) {
    memcpy(to, from, bytes);
    return say(call, " %zu stream %#zx", bytes, (size_t)stream);
}

Status cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) { return move("cuMemcpyHtoD", (void *)(uintptr_t)to, from, bytes, stream); }
Status cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) { return move("cuMemcpyDtoH", to, (void *)(uintptr_t)from, bytes, stream); }
Status cuMemcpyAsync(Address to, Address from, size_t bytes, void *stream) { return move("cuMemcpy", (void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes, stream); }

/* -- kernels -- */

struct launch { unsigned grid[3], block[3], shared; void *stream; void *attributes; unsigned count; };

Status cuLibraryLoadData(void **library, const void *code, void *a, void *b, unsigned c, void *d, void *e, unsigned f) {
    *library = (void *)0x3000;
    return say("cuLibraryLoadData", memcmp(code, "\x7f" "ELF", 4) ? " no machine code" : " ELF");
}
Status cuLibraryUnload(void *library) { return SUCCESS; }
Status cuLibraryGetKernel(void **kernel, void *library, const char *name) { return *kernel = (void *)0x4000, say("cuLibraryGetKernel", " %s", name); }
Status cuKernelGetFunction(void **function, void *kernel) { return *function = kernel, SUCCESS; }
Status cuKernelGetAttribute(int *value, int attribute, void *kernel, int device) { return *value = 1, SUCCESS; }
Status cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *size) {
    *offset = 8 * index, *size = 8;
    return index < 32 ? SUCCESS : 1;
}

static Status launch(unsigned grid, unsigned block, void *stream, void **arguments) {
    return say("cuLaunchKernel", " grid %u block %u stream %#zx count %lld", grid, block, (size_t)stream, *(long long *)arguments[0]);
}
Status cuLaunchKernelEx(struct launch *how, void *function, void **arguments, void **more) {
    return launch(how->grid[0], how->block[0], how->stream, arguments);
}
Status cuLaunchKernel(void *function, unsigned grid, unsigned gy, unsigned gz, unsigned block, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **arguments, void **more) {
    return launch(grid, block, stream, arguments);
}

/* -- streams and events -- */

Status cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
    static int made;
    *stream = (void *)(uintptr_t)(0x5000 + 16 * ++made);
    return say("cuStreamCreate", " %#zx priority %d", (size_t)*stream, priority);
}
Status cuStreamDestroy_v2(void *stream) { return SUCCESS; }
Status cuStreamSynchronize(void *stream) { return say("cuStreamSynchronize", " %#zx", (size_t)stream); }
Status cuStreamQuery(void *stream) { return SUCCESS; }
Status cuStreamWaitEvent(void *stream, void *event, unsigned flags) { return say("cuStreamWaitEvent", " %#zx event %#zx", (size_t)stream, (size_t)event); }
Status cuCtxGetStreamPriorityRange(int *lowest, int *greatest) { return *lowest = 0, *greatest = -5, SUCCESS; }
Status cuStreamGetCtx(void *stream, void **context) { return *context = (void *)current, SUCCESS; }
Status cuStreamGetDevice(void *stream, int *device) { return cuCtxGetDevice(device); }
Status cuStreamGetPriority(void *stream, int *priority) { return *priority = 0, SUCCESS; }
Status cuStreamGetFlags(void *stream, unsigned *flags) { return *flags = 1, SUCCESS; }
Status cuStreamIsCapturing(void *stream, int *state) { return *state = 0, SUCCESS; }
Status cuStreamGetCaptureInfo_v3(void *stream, int *state, void *a, void *b, void *c, void *d, void *e) { return *state = 0, SUCCESS; }
Status cuThreadExchangeStreamCaptureMode(int *mode) { return SUCCESS; }

Status cuEventCreate(void **event, unsigned flags) {
    static int made;
    *event = (void *)(uintptr_t)(0x9000 + 16 * ++made);
    return say("cuEventCreate", " %#zx flags %u", (size_t)*event, flags);
}
Status cuEventRecord(void *event, void *stream) { return say("cuEventRecord", " %#zx stream %#zx", (size_t)event, (size_t)stream); }
Status cuEventRecordWithFlags(void *event, void *stream, unsigned flags) { return cuEventRecord(event, stream); }
Status cuEventSynchronize(void *event) { return say("cuEventSynchronize", " %#zx", (size_t)event); }
Status cuEventQuery(void *event) { return SUCCESS; }
Status cuEventDestroy_v2(void *event) { return SUCCESS; }
Status cuEventElapsedTime_v2(float *milliseconds, void *start, void *end) { return *milliseconds = 1.5f, SUCCESS; }

/* -- how the bindings find all this -- */

Status cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *found) {
    static void *self;
    static const char *endings[] = {"_v3", "_v2", ""};
    char whole[128];
    if (!self) {
        Dl_info here;
        dladdr((void *)cuInit, &here);
        self = dlopen(here.dli_fname, RTLD_LAZY);
    }
    *function = (void *)unsupported;
    for (int k = 0; k < 3; k++) {
        snprintf(whole, sizeof whole, "%s%s", name, endings[k]);
        void *here = dlsym(self, whole);
        if (here) {
            *function = here;
            break;
        }
    }
    if (found) *found = 0;
    return SUCCESS;
}
Status cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

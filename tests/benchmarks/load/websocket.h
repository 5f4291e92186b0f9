// How does the load generator speak WebSocket (RFC 6455)?
//
// A client without extensions, on loopback. Sockets never block: what the kernel does not take waits in `out`, what is
// not complete yet waits in `in`. The caller owns the epoll loop and calls `ws_read` and `ws_flush` when told to.

#pragma once

#include <stdbool.h>
#include <stddef.h>

struct bytes {
    char *data;
    size_t length, capacity;
};

struct ws {
    int fd, number;
    bool upgraded;
    struct bytes in, out;
    long received;  // stamped frames since the clock was started; kept here for the caller
    long last;      // the number in the last of them
};

// What arrived. `upgraded` comes once, then one `text` per text frame; `closed` is the last.
struct ws_events {
    void (*upgraded)(struct ws *socket);
    void (*text)(struct ws *socket, const char *text, size_t length);
    void (*closed)(struct ws *socket, int code);
};

void ws_dial(struct ws *socket, int port, const char *path, const char *header);
void ws_send(struct ws *socket, const char *text, size_t length);
void ws_read(struct ws *socket, const struct ws_events *events);
void ws_flush(struct ws *socket);

void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

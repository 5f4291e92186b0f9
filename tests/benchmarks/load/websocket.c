// The implementation of websocket.h.

#define _GNU_SOURCE
#include "websocket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TEXT = 0x1, CLOSE = 0x8, PING = 0x9, PONG = 0xA };

static const size_t READ_AT_ONCE = 256 * 1024;
static const unsigned char MASK[4] = {0x12, 0x34, 0x56, 0x78};

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("load: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

static void reserve(struct bytes *buffer, size_t more) {
    if (buffer->capacity - buffer->length >= more) return;
    buffer->capacity = (buffer->length + more) * 2;
    buffer->data = realloc(buffer->data, buffer->capacity);
    if (!buffer->data) die("out of memory");
}

static void drop(struct bytes *buffer, size_t count) {
    buffer->length -= count;
    memmove(buffer->data, buffer->data + count, buffer->length);
}

void ws_dial(struct ws *socket_, int port, const char *path, const char *header) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) die("connect: %s", strerror(errno));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    socket_->fd = fd;
    reserve(&socket_->out, 4096);
    socket_->out.length = snprintf(socket_->out.data, 4096,
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s%s\r\n",
        path, port, header, *header ? "\r\n" : "");
    ws_flush(socket_);
}

static void put_frame(struct ws *socket, int opcode, const char *payload, size_t length) {
    struct bytes *out = &socket->out;
    reserve(out, length + 14);
    unsigned char *p = (unsigned char *)out->data + out->length;
    *p++ = 0x80 | opcode;
    if (length < 126) {
        *p++ = 0x80 | length;
    } else {
        int wide = length > 65535, octets = wide ? 8 : 2;
        *p++ = 0x80 | (wide ? 127 : 126);
        while (octets--) *p++ = (uint64_t)length >> (8 * octets);
    }
    memcpy(p, MASK, 4);
    p += 4;
    for (size_t i = 0; i < length; i++) *p++ = payload[i] ^ MASK[i & 3];
    out->length = (char *)p - out->data;
    ws_flush(socket);
}

void ws_send(struct ws *socket, const char *text, size_t length) { put_frame(socket, TEXT, text, length); }

void ws_flush(struct ws *socket) {
    size_t sent = 0;
    while (sent < socket->out.length) {
        ssize_t count = write(socket->fd, socket->out.data + sent, socket->out.length - sent);
        if (count < 0) break;  // full, or broken: then reading says so
        sent += count;
    }
    drop(&socket->out, sent);
}

// The length of the upgrade's response at the start of `in`, or 0 while it is incomplete.
static size_t upgrade(struct ws *socket) {
    char *end = memmem(socket->in.data, socket->in.length, "\r\n\r\n", 4);
    if (!end) return 0;
    if (!memmem(socket->in.data, 16, " 101 ", 5)) die("not upgraded: %.*s", (int)(end - socket->in.data), socket->in.data);
    socket->upgraded = true;
    return end + 4 - socket->in.data;
}

// The length of the frame at `p` and where its payload begins, or 0 while it is incomplete. A server does not mask.
static size_t frame_length(const unsigned char *p, size_t available, size_t *header) {
    if (available < 2) return 0;
    uint64_t length = p[1] & 127;
    int octets = length == 126 ? 2 : length == 127 ? 8 : 0;
    *header = 2 + octets;
    if (available < *header) return 0;
    if (octets) length = 0;
    for (int i = 0; i < octets; i++) length = length << 8 | p[2 + i];
    return available - *header < length ? 0 : *header + length;
}

static void handle_frame(struct ws *socket, const struct ws_events *events, const char *frame, size_t header, size_t total) {
    const char *payload = frame + header;
    size_t length = total - header;
    switch (frame[0] & 0x0f) {
    case TEXT:
        events->text(socket, payload, length);
        break;
    case PING:
        put_frame(socket, PONG, payload, length);
        break;
    case CLOSE:
        events->closed(socket, length < 2 ? 1005 : (unsigned char)payload[0] << 8 | (unsigned char)payload[1]);
        break;
    }
}

static void handle_input(struct ws *socket, const struct ws_events *events) {
    size_t used = 0, header = 0, total;
    if (!socket->upgraded) {
        if (!(used = upgrade(socket))) return;
        events->upgraded(socket);
    }
    while ((total = frame_length((unsigned char *)socket->in.data + used, socket->in.length - used, &header))) {
        handle_frame(socket, events, socket->in.data + used, header, total);
        used += total;
    }
    if (used) drop(&socket->in, used);
}

void ws_read(struct ws *socket, const struct ws_events *events) {
    for (;;) {
        reserve(&socket->in, READ_AT_ONCE);
        ssize_t count = read(socket->fd, socket->in.data + socket->in.length, READ_AT_ONCE);
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) {
            events->closed(socket, 1006);
            return;
        }
        socket->in.length += count;
        handle_input(socket, events);
        if ((size_t)count < READ_AT_ONCE) return;
    }
}

package org.stillwater.server.profile;

import java.util.Locale;

/** Work of a thread, by the thread's name. */
enum ThreadKind {
    /** Monitors one host. */
    HOST,
    /** Sends to one host. */
    WIRE,
    /** Handles a request. */
    REQUEST,
    /** Serves a reader of the event stream over WebSocket. */
    STREAM,
    /** A supervised loop, or another virtual thread. */
    WORKER,
    /** A platform thread that carries virtual ones. */
    CARRIER,
    /** Another platform thread. */
    PLATFORM;

    /** The value of {@code kind} in REST. */
    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The kind of a thread.
     *
     * @param name its name, empty when the recorder does not know it
     * @param worker whether it is virtual or of the group of supervised workers
     */
    static ThreadKind of(String name, boolean worker) {
        if (name.startsWith("host-")) {
            return HOST;
        }
        if (name.startsWith("write-")) {
            return WIRE;
        }
        if (name.startsWith("tomcat-") || name.startsWith("http-") || name.startsWith("https-")) {
            return REQUEST;
        }
        if (name.startsWith("stream-")) {
            return STREAM;
        }
        if (worker) {
            return WORKER;
        }
        return name.startsWith("ForkJoinPool-") ? CARRIER : PLATFORM;
    }
}

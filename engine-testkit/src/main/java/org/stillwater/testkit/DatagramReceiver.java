package org.stillwater.testkit;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/** A datagram socket with an address, as systemd has one. */
public final class DatagramReceiver implements AutoCloseable {

    private static final int MOST = 300_000;
    private static final Linker LINKER = Linker.nativeLinker();

    @SuppressWarnings("restricted") // tests run with --enable-native-access
    private static MethodHandle function(String name, FunctionDescriptor shape) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape);
    }

    private final int descriptor;
    private final Arena arena = Arena.ofConfined();

    /** A socket that is bound to a path, or to an abstract name that begins with @. */
    public DatagramReceiver(String address) throws Throwable {
        descriptor =
                (int)
                        function(
                                        "socket",
                                        FunctionDescriptor.of(
                                                ValueLayout.JAVA_INT,
                                                ValueLayout.JAVA_INT,
                                                ValueLayout.JAVA_INT,
                                                ValueLayout.JAVA_INT))
                                .invokeExact(1, 2, 0);
        byte[] path = address.getBytes(StandardCharsets.UTF_8);
        boolean named = path[0] == '@';
        MemorySegment bound = arena.allocate(2L + path.length + (named ? 0 : 1));
        bound.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) 1);
        MemorySegment.copy(path, 0, bound, ValueLayout.JAVA_BYTE, 2, path.length);
        if (named) {
            bound.set(ValueLayout.JAVA_BYTE, 2, (byte) 0);
        }
        int result =
                (int)
                        function(
                                        "bind",
                                        FunctionDescriptor.of(
                                                ValueLayout.JAVA_INT,
                                                ValueLayout.JAVA_INT,
                                                ValueLayout.ADDRESS,
                                                ValueLayout.JAVA_INT))
                                .invokeExact(descriptor, bound, (int) bound.byteSize());
        if (result != 0) {
            throw new IOException("no socket can be bound to " + address);
        }
    }

    /** The next message; waits for it. */
    public String receive() throws Throwable {
        MemorySegment buffer = arena.allocate(MOST);
        long length =
                (long)
                        function(
                                        "recv",
                                        FunctionDescriptor.of(
                                                ValueLayout.JAVA_LONG,
                                                ValueLayout.JAVA_INT,
                                                ValueLayout.ADDRESS,
                                                ValueLayout.JAVA_LONG,
                                                ValueLayout.JAVA_INT))
                                .invokeExact(descriptor, buffer, (long) MOST, 0);
        return new String(
                buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        try {
            int _ =
                    (int)
                            function(
                                            "close",
                                            FunctionDescriptor.of(
                                                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))
                                    .invokeExact(descriptor);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        arena.close();
    }
}

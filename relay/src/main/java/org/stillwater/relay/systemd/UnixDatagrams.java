package org.stillwater.relay.systemd;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * Sends messages to a Unix socket of systemd's, one datagram each: that which it names in
 * NOTIFY_SOCKET (sd_notify(3)), and that of its journal. The JDK has stream sockets of this kind
 * only, so the C library is called. Stateless; thread-safe.
 */
public final class UnixDatagrams {

    private static final short AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int MSG_NOSIGNAL = 0x4000;

    /** sockaddr_un of Linux: two bytes for the family, then the path. */
    private static final int FAMILY_BYTES = 2;

    private static final int LONGEST_PATH = 107;

    private final MethodHandle socket;
    private final MethodHandle sendto;
    private final MethodHandle close;
    private final byte[] path;

    /**
     * The socket of a path.
     *
     * @param address a path, or a name that begins with @ in Linux' abstract name space
     * @throws IOException if the address is no such, or this system has no such sockets
     */
    public UnixDatagrams(String address) throws IOException {
        path = address.getBytes(StandardCharsets.UTF_8);
        if (path.length == 0
                || path.length > LONGEST_PATH
                || !(address.startsWith("/") || address.startsWith("@"))) {
            throw new IOException("no address of a Unix socket: " + address);
        }
        Linker linker = Linker.nativeLinker();
        socket =
                function(
                        linker,
                        "socket",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT));
        sendto =
                function(
                        linker,
                        "sendto",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT));
        close =
                function(
                        linker,
                        "close",
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }

    @SuppressWarnings("restricted") // the launcher's --enable-native-access permits it
    private static MethodHandle function(Linker linker, String name, FunctionDescriptor shape)
            throws IOException {
        SymbolLookup library = linker.defaultLookup();
        MemorySegment found =
                library.find(name)
                        .orElseThrow(() -> new IOException("the C library has no " + name));
        return linker.downcallHandle(found, shape);
    }

    /**
     * Sends one message.
     *
     * @param message lines such as {@code READY=1}
     * @throws IOException if it is not taken
     */
    public void send(String message) throws IOException {
        if (!send(message.getBytes(StandardCharsets.UTF_8))) {
            throw new IOException("systemd does not take the message " + message);
        }
    }

    /**
     * Sends one message.
     *
     * @return whether it is taken
     * @throws IOException if there is no socket to be had
     */
    public boolean send(byte[] text) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            int descriptor = (int) socket.invokeExact((int) AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
            if (descriptor < 0) {
                throw new IOException("no socket is to be had");
            }
            try {
                MemorySegment bytes = arena.allocate(text.length);
                MemorySegment.copy(text, 0, bytes, ValueLayout.JAVA_BYTE, 0, text.length);
                MemorySegment address = address(arena);
                long sent =
                        (long)
                                sendto.invokeExact(
                                        descriptor,
                                        bytes,
                                        (long) text.length,
                                        MSG_NOSIGNAL,
                                        address,
                                        (int) address.byteSize());
                return sent == text.length;
            } finally {
                int _ = (int) close.invokeExact(descriptor);
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }

    /** An abstract name has a zero byte in front and none behind; a path has one behind. */
    private MemorySegment address(Arena arena) {
        boolean named = path[0] == '@';
        MemorySegment address = arena.allocate(FAMILY_BYTES + path.length + (named ? 0L : 1L));
        address.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, AF_UNIX);
        MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, FAMILY_BYTES, path.length);
        if (named) {
            address.set(ValueLayout.JAVA_BYTE, FAMILY_BYTES, (byte) 0);
        }
        return address;
    }
}

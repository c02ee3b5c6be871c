package org.stillwater.server.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Against a real socket of the kernel, as systemd has one. */
@EnabledOnOs(OS.LINUX)
class NotifySocketTest {

    private static final Linker LINKER = Linker.nativeLinker();

    @SuppressWarnings("restricted") // tests run with --enable-native-access
    private static MethodHandle function(String name, FunctionDescriptor shape) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape);
    }

    /** A datagram socket with an address. */
    private static final class Receiver implements AutoCloseable {

        private final int descriptor;
        private final Arena arena = Arena.ofConfined();

        Receiver(String address) throws Throwable {
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
            assertThat(result).isZero();
        }

        String receive() throws Throwable {
            MemorySegment buffer = arena.allocate(200);
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
                                    .invokeExact(descriptor, buffer, 200L, 0);
            return new String(
                    buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE),
                    StandardCharsets.UTF_8);
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

    @Test
    void messagesArriveAtAPathAndAtAnAbstractName(@TempDir Path folder) throws Throwable {
        for (String address :
                new String[] {
                    folder.resolve("notify").toString(),
                    "@stillwater-test-" + ProcessHandle.current().pid()
                }) {
            try (Receiver systemd = new Receiver(address)) {
                NotifySocket socket = new NotifySocket(address);
                socket.send("READY=1");
                socket.send("STATUS=watching\nWATCHDOG=1");
                assertThat(systemd.receive()).isEqualTo("READY=1");
                assertThat(systemd.receive()).isEqualTo("STATUS=watching\nWATCHDOG=1");
            }
        }
    }

    @Test
    void aMissingReceiverAndAWrongAddressAreExceptions(@TempDir Path folder) throws Exception {
        NotifySocket socket = new NotifySocket(folder.resolve("none").toString());
        assertThatThrownBy(() -> socket.send("READY=1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("READY=1");
        assertThatThrownBy(() -> new NotifySocket("relative"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("relative");
        assertThatThrownBy(() -> new NotifySocket("/" + "x".repeat(200)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void signsOfLifeComeTwiceInTheTimeThatSystemdWaits() {
        assertThat(ServiceNotifier.interval("30000000")).isEqualTo(Duration.ofSeconds(15));
        assertThat(ServiceNotifier.interval(null)).isNull();
        assertThat(ServiceNotifier.interval("0")).isNull();
        assertThat(ServiceNotifier.interval("soon")).isNull();
    }
}

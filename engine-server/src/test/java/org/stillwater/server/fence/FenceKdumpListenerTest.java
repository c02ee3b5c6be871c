package org.stillwater.server.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HexFormat;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.fence.KdumpListener.State;
import org.stillwater.core.id.HostId;
import org.stillwater.server.settings.KdumpSettings;
import org.stillwater.testkit.VirtualClock;

/** The listener on a real socket of the loopback interface; every loopback address may send. */
class FenceKdumpListenerTest {

    private static final HostId ONE = new HostId(new UUID(0x1000, 1));
    private static final HostId TWO = new HostId(new UUID(0x1000, 2));

    /** The message of fence_kdump_send on x86, byte for byte. */
    private static final byte[] MESSAGE = HexFormat.of().parseHex("402a301b01000000");

    private final VirtualClock clock = new VirtualClock();

    private static KdumpSettings settings(@Nullable String address, int port) {
        return new KdumpSettings(
                address,
                port,
                Duration.ofSeconds(30),
                Duration.ofSeconds(90),
                Duration.ofMinutes(8),
                Duration.ofSeconds(1));
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket =
                new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
            return socket.getLocalPort();
        }
    }

    private FenceKdumpListener listening() throws Exception {
        FenceKdumpListener listener =
                new FenceKdumpListener(settings("127.0.0.1", freePort()), clock);
        listener.start();
        until(() -> listener.boundTo() != null);
        return listener;
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < 500 && !condition.getAsBoolean(); i++) {
            assertThat(never.await(20, TimeUnit.MILLISECONDS)).isFalse();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    private static void send(FenceKdumpListener listener, String from, byte[] bytes)
            throws IOException {
        InetSocketAddress to = listener.boundTo();
        assertThat(to).isNotNull();
        try (DatagramSocket socket =
                new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral(from), 0))) {
            socket.send(new DatagramPacket(bytes, bytes.length, to));
        }
    }

    @Test
    void aMessageOfAHostThatIsAttendedToIsHeard() throws Exception {
        try (FenceKdumpListener listener = listening()) {
            listener.attend(ONE, "127.0.0.2");
            assertThat(listener.lastHeardNanos(ONE)).isNull();
            clock.advance(Duration.ofSeconds(5));
            send(listener, "127.0.0.2", MESSAGE);
            until(() -> listener.lastHeardNanos(ONE) != null);
            assertThat(listener.lastHeardNanos(ONE)).isEqualTo(clock.nanoTime());
            clock.advance(Duration.ofSeconds(10));
            listener.attend(ONE, "127.0.0.2");
            send(listener, "127.0.0.2", MESSAGE);
            until(() -> Long.valueOf(clock.nanoTime()).equals(listener.lastHeardNanos(ONE)));
            listener.leave(ONE);
            assertThat(listener.lastHeardNanos(ONE)).isNull();
        }
    }

    @Test
    void aNameIsLookedUp() throws Exception {
        try (FenceKdumpListener listener = listening()) {
            listener.attend(ONE, "localhost");
            listener.attend(TWO, "no such name");
            until(() -> {
                try {
                    send(listener, "127.0.0.1", MESSAGE);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
                return listener.lastHeardNanos(ONE) != null;
            });
            assertThat(listener.lastHeardNanos(TWO)).isNull();
        }
    }

    /** The last message is received, so the earlier ones were read and ignored. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "40",
                "402a301b010000",
                "402a301b02000000",
                "1b302a4001000000",
                "402a301b00000001",
                "0000000000000000",
                "4141414141414141414141414141414141414141"
            })
    void otherDatagramsAreIgnored(String hex) throws Exception {
        try (FenceKdumpListener listener = listening()) {
            listener.attend(ONE, "127.0.0.2");
            listener.attend(TWO, "127.0.0.3");
            send(listener, "127.0.0.2", HexFormat.of().parseHex(hex));
            send(listener, "127.0.0.3", MESSAGE);
            until(() -> listener.lastHeardNanos(TWO) != null);
            assertThat(listener.lastHeardNanos(ONE)).isNull();
        }
    }

    @Test
    void strangersAndSharedAddressesBelongToNoHost() throws Exception {
        HostId three = new HostId(new UUID(0x1000, 3));
        try (FenceKdumpListener listener = listening()) {
            listener.attend(ONE, "127.0.0.2");
            listener.attend(TWO, "127.0.0.2");
            listener.attend(three, "127.0.0.3");
            send(listener, "127.0.0.9", MESSAGE);
            send(listener, "127.0.0.2", MESSAGE);
            send(listener, "127.0.0.3", MESSAGE);
            until(() -> listener.lastHeardNanos(three) != null);
            assertThat(listener.lastHeardNanos(ONE)).isNull();
            assertThat(listener.lastHeardNanos(TWO)).isNull();
        }
    }

    @Test
    void machinesOfBothByteOrdersAreUnderstood() {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
            byte[] message =
                    ByteBuffer.allocate(12)
                            .order(order)
                            .putInt(KdumpMessage.MAGIC)
                            .putInt(KdumpMessage.VERSION)
                            .array();
            assertThat(KdumpMessage.isOne(message, 8)).isTrue();
            assertThat(KdumpMessage.isOne(message, 12)).as("a later one is longer").isTrue();
            assertThat(KdumpMessage.isOne(message, 7)).isFalse();
        }
    }

    @Test
    void withoutAnAddressThereIsNoListener() {
        try (FenceKdumpListener listener = new FenceKdumpListener(settings(null, 7410), clock)) {
            listener.start();
            assertThat(listener.boundTo()).isNull();
            assertThat(listener.state())
                    .isInstanceOfSatisfying(
                            State.Deaf.class,
                            deaf ->
                                    assertThat(deaf.why())
                                            .contains("stillwater.fencing.kdump.address"));
        }
    }

    @Test
    @SuppressWarnings("try") // both are closed early, as tested here
    void aPortThatIsTakenIsTriedAgain() throws Exception {
        InetAddress here = InetAddress.ofLiteral("127.0.0.1");
        try (DatagramSocket taken = new DatagramSocket(new InetSocketAddress(here, 0));
                FenceKdumpListener listener =
                        new FenceKdumpListener(
                                settings("127.0.0.1", taken.getLocalPort()), clock)) {
            listener.start();
            until(() ->
                    listener.state() instanceof State.Deaf(String why)
                            && why.contains("cannot be used"));
            taken.close();
            until(() -> listener.state() instanceof State.Listening);
            listener.close();
            until(() -> listener.state() instanceof State.Deaf);
        }
    }
}

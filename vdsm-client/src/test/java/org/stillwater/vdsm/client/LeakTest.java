package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.testkit.Tier;

/**
 * Connections that come and go, by every way to end one, leave nothing behind. With {@code
 * -Dstillwater.leak.rounds=N} for longer.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LeakTest {

    private static final int WARM_UP = 50;

    @TempDir Path folder;

    /** Resources that could leak. */
    private record Left(
            long threads, long files, int timers, long bufferedBytes, long borrowedBytes) {}

    @Test
    void connectionsOfAHostLeaveNothing() throws Exception {
        leavesNothing(null, Engine.plain(), rounds(Tier.count(300, 1_500)));
    }

    @Test
    void encryptedConnectionsOfAHostLeaveNothing() throws Exception {
        Pki pki = new Pki("the authority");
        VdsmClientSettings settings =
                VdsmClientSettings.defaults(
                        new TlsSettings.Mutual(
                                pki.writePem(folder, pki.issue("engine.example.test"), false)));
        leavesNothing(
                pki.serverContext(pki.issue("host1.example.test")),
                settings,
                rounds(Tier.count(50, 200)));
    }

    private static int rounds(int usual) {
        return Integer.getInteger("stillwater.leak.rounds", usual);
    }

    private void leavesNothing(@Nullable SSLContext tls, VdsmClientSettings settings, int rounds)
            throws Exception {
        try (ScriptedHost host = new ScriptedHost(tls);
                Engine engine = new Engine(settings)) {
            HostDefinition definition = host.definition();
            for (int i = 0; i < WARM_UP; i++) {
                round(engine, host, definition, i);
            }
            Left before = left(engine, "before");
            for (int i = 0; i < rounds; i++) {
                round(engine, host, definition, i);
            }
            Left after = left(engine, "after");
            assertThat(after.threads()).as("threads of connections").isZero();
            assertThat(after.timers()).as("timers").isZero();
            assertThat(after.bufferedBytes()).as("bytes lent").isZero();
            assertThat(after.borrowedBytes()).as("bytes borrowed by connections").isZero();
            assertThat(after.files())
                    .as("open files and sockets, before: %s", before)
                    .isLessThanOrEqualTo(before.files() + 5);
            engine.connection = null;
        }
    }

    private static void round(Engine engine, ScriptedHost host, HostDefinition definition, int i)
            throws Exception {
        // While there is no connection: the pace of new connections allows the next one at once.
        engine.time.advance(Duration.ofSeconds(1));
        engine.open(definition);
        ScriptedHost.Peer peer = host.session();
        engine.expect("connected");
        engine.connection.hardware(engine.receiver());
        switch (i % 4) {
            case 0 -> peer.request().answer("{}");
            case 1 -> peer.request();
            case 2 -> {
                peer.request();
                peer.reset();
                engine.expect("disconnected: ");
            }
            default -> {
                peer.close();
                engine.expect("disconnected: ");
            }
        }
        LinkedBlockingQueue<Boolean> ended = new LinkedBlockingQueue<>();
        Thread.ofVirtual()
                .start(() -> {
                    peer.isClosedByEngine();
                    ended.add(true);
                });
        engine.close();
        assertThat(ended.poll(ScriptedHost.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        peer.close();
        assertThat(engine.answer()).as("every call is answered, if only with failure").isNotNull();
    }

    private Left left(Engine engine, String when) throws Exception {
        Engine.await("the end of every thread", () -> connectionThreads(when) == 0);
        UnixOperatingSystemMXBean system =
                ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class);
        return new Left(
                connectionThreads(when),
                system == null ? 0 : system.getOpenFileDescriptorCount(),
                engine.time.pending(),
                engine.connector.bufferedBytes(),
                engine.connector.borrowedBytes());
    }

    private long connectionThreads(String when) {
        try {
            Path dump = folder.resolve(when + ".txt");
            Files.deleteIfExists(dump);
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(dump.toString(), ThreadDumpFormat.TEXT_PLAIN);
            List<String> lines = Files.readAllLines(dump);
            return lines.stream()
                    .filter(line ->
                            line.contains("\"host-host1\"") || line.contains("\"write-host1\""))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

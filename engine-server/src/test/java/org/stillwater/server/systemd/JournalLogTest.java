package org.stillwater.server.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.testkit.DatagramReceiver;

/** Against a real socket of the kernel, as systemd's journal has one. */
@EnabledOnOs(OS.LINUX)
@DisplayName("The log in systemd's journal")
class JournalLogTest {

    private final LoggerContext context = new LoggerContext();
    private final ListAppender<ILoggingEvent> console = new ListAppender<>();
    private final Logger log = context.getLogger("org.stillwater.Some");

    @TempDir Path folder;
    private Path socket;

    @BeforeEach
    void console() {
        socket = folder.resolve("socket");
        console.setName("CONSOLE");
        console.setContext(context);
        console.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(console);
    }

    @Test
    @DisplayName("a line is an entry with its level, its event and its values")
    void values() throws Throwable {
        try (DatagramReceiver journal = new DatagramReceiver(socket.toString())) {
            JournalLog.attach(context, socket);
            log.warn("host={} is {} since={}", "alpha", "silent", 7);
            String first = journal.receive();
            assertThat(first.lines())
                    .contains(
                            "MESSAGE=host=alpha is silent since=7",
                            "PRIORITY=4",
                            "SYSLOG_IDENTIFIER=stillwater",
                            "STILLWATER_LOGGER=org.stillwater.Some",
                            "STILLWATER_HOST=alpha",
                            "STILLWATER_SINCE=7");

            log.info("host={} is {} since={}", "beta", "up", 8);
            String second = journal.receive();
            assertThat(second.lines()).contains("PRIORITY=6", "STILLWATER_HOST=beta");
            assertThat(id(second)).as("of the same event").isEqualTo(id(first));
            assertThat(id(first)).matches("MESSAGE_ID=[0-9a-f]{32}");

            log.info("another event");
            assertThat(id(journal.receive())).isNotEqualTo(id(first));
        }
        assertThat(console.list).isEmpty();
    }

    @Test
    @DisplayName("complaints differ by their subject, and their owner is a value")
    void complaints() throws Throwable {
        try (DatagramReceiver journal = new DatagramReceiver(socket.toString())) {
            JournalLog.attach(context, socket);
            String template = "{} {}: {}";
            log.atWarn().addKeyValue("event", "timed out").log(template, "host=alpha", "a", "b");
            String first = journal.receive();
            log.atWarn()
                    .addKeyValue("event", "timed out")
                    .log(template + " ({} times)", "host=beta", "a", "c", 3);
            String same = journal.receive();
            log.atWarn().addKeyValue("event", "refused").log(template, "host=beta", "a", "c");
            String another = journal.receive();

            assertThat(first.lines())
                    .contains("STILLWATER_HOST=alpha", "STILLWATER_EVENT=timed out");
            assertThat(id(same)).isEqualTo(id(first));
            assertThat(id(another)).isNotEqualTo(id(first));
        }
    }

    @Test
    @DisplayName("a stack is in the message, which has its length before it")
    void stacks() throws Throwable {
        try (DatagramReceiver journal = new DatagramReceiver(socket.toString())) {
            JournalLog.attach(context, socket);
            log.error("broken\nMESSAGE_ID=forged", new IllegalStateException("why"));
            String entry = journal.receive();
            assertThat(entry)
                    .startsWith("MESSAGE\n")
                    .contains("broken\nMESSAGE_ID=forged\n")
                    .contains("java.lang.IllegalStateException: why", "JournalLogTest");
            int length = entry.getBytes(StandardCharsets.UTF_8).length;
            assertThat(entry.indexOf("\nPRIORITY=3\n")).isBetween(1, length);
        }
    }

    @Test
    @DisplayName("a line of any length fits")
    void longLines() throws Throwable {
        try (DatagramReceiver journal = new DatagramReceiver(socket.toString())) {
            JournalLog.attach(context, socket);
            log.info("value={}", "x".repeat(1_000_000));
            assertThat(journal.receive()).hasSizeLessThan(50_000).contains("PRIORITY=6");
        }
    }

    @Test
    @DisplayName("what the journal does not take goes to the console")
    void withoutJournal() {
        JournalLog.attach(context, socket);
        log.info("without a receiver");
        assertThat(console.list)
                .extracting(ILoggingEvent::getMessage)
                .containsExactly("without a receiver");
    }

    @Test
    @DisplayName("the journal is used only where the console is its stream")
    void stream() throws Exception {
        Path output = Files.createFile(folder.resolve("output"));
        String stream =
                Files.getAttribute(output, "unix:dev")
                        + ":"
                        + Files.getAttribute(output, "unix:ino");
        assertThat(JournalLog.isStream(stream, output)).isTrue();
        assertThat(JournalLog.isStream(stream + "0", output)).isFalse();
        assertThat(JournalLog.isStream(null, output)).isFalse();
        assertThat(JournalLog.isStream(stream, folder.resolve("missing"))).isFalse();
    }

    private static String id(String entry) {
        return entry.lines()
                .filter(line -> line.startsWith("MESSAGE_ID="))
                .findFirst()
                .orElseThrow();
    }
}

package org.stillwater.server.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.server.alert.MailTextTest.notice;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.server.SystemClock;
import org.stillwater.server.alert.MailReceiver.Received;
import org.stillwater.server.settings.MailSettings;
import org.stillwater.server.settings.MailSettings.Encryption;
import org.stillwater.testkit.FreePorts;

/** E-mails to a real SMTP server on the loopback address, and to some that fail. */
@Timeout(60)
class MailDeliveryTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final List<String> TO = List.of("ops@example.com", "night@example.com");

    @TempDir Path folder;
    private final SystemClock clock = new SystemClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private DeliveryQueue queue(
            String host, int port, Encryption tls, String user, String password, Duration time) {
        Path authorities = folder.resolve("pki/ca.pem");
        MailSettings settings =
                new MailSettings(
                        host,
                        port,
                        tls,
                        Files.exists(authorities) ? authorities : null,
                        user,
                        password,
                        "engine@example.com",
                        TO,
                        time,
                        Duration.ZERO,
                        Duration.ZERO,
                        50);
        return new DeliveryQueue(
                "mail",
                new MailSender(settings, "https://engine.example", clock),
                new DeliveryQueue.Limits(
                        100,
                        100,
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(1)),
                (_, _) -> {},
                clock,
                meters);
    }

    private DeliveryQueue plain(MailReceiver receiver) {
        return queue("127.0.0.1", receiver.port(), Encryption.NONE, "", "", LONG);
    }

    private static void begin(DeliveryQueue queue, int number, String object) {
        queue.take(new UUID(7, number), true, () -> notice(number, "BusyVm", object, null));
    }

    private static void end(DeliveryQueue queue, int number, String object) {
        queue.take(
                new UUID(7, number),
                false,
                () -> notice(number, "BusyVm", object, "2026-11-20T04:00:00Z"));
    }

    private double count(String meter) {
        return meters.get("stillwater.alerts." + meter).tag("receiver", "mail").counter().count();
    }

    @Test
    void aBatchIsOneMessageOverStartTlsWithALogin() throws Exception {
        try (MailReceiver receiver = MailReceiver.startTls(folder.resolve("pki"))) {
            DeliveryQueue queue =
                    queue(
                            "localhost",
                            receiver.port(),
                            Encryption.STARTTLS,
                            MailReceiver.USER,
                            MailReceiver.PASSWORD,
                            LONG);
            begin(queue, 1, "wéb-1");
            begin(queue, 2, "web-2");
            assertThat(queue.send()).as(() -> "" + queue.condition()).isTrue();

            Received mail = receiver.received().getFirst();
            assertThat(receiver.received()).hasSize(1);
            assertThat(mail.encrypted()).isTrue();
            assertThat(mail.loggedIn()).isTrue();
            assertThat(mail.from()).isEqualTo("engine@example.com");
            assertThat(mail.to()).containsExactlyElementsOf(TO);
            assertThat(mail.subject()).isEqualTo("[FIRING 2] BusyVm");
            assertThat(mail.text()).contains("vm wéb-1", "vm web-2");
            assertThat(mail.message().getContentType()).startsWith("text/plain");
            assertThat(mail.message().getHeader("Auto-Submitted"))
                    .containsExactly("auto-generated");
            assertThat(mail.raw().chars()).as("ASCII").allMatch(each -> each < 128);
            assertThat(count("sent")).isEqualTo(2);
            assertThat(queue.waiting()).isZero();

            end(queue, 1, "wéb-1");
            assertThat(queue.send()).isTrue();
            assertThat(receiver.received().getLast().subject())
                    .isEqualTo("[RESOLVED] BusyVm: wéb-1");
        }
    }

    @Test
    void theEndAnswersTheBegin() throws Exception {
        try (MailReceiver receiver = MailReceiver.plain()) {
            DeliveryQueue queue = plain(receiver);
            begin(queue, 1, "web-1");
            assertThat(queue.send()).isTrue();
            end(queue, 1, "web-1");
            assertThat(queue.send()).isTrue();

            assertThat(receiver.received().getFirst().encrypted()).isFalse();
            assertThat(receiver.received().getLast().message().getHeader("In-Reply-To"))
                    .containsExactly(
                            receiver.received().getFirst().message().getHeader("Message-ID"));
        }
    }

    @Test
    void implicitTls() throws Exception {
        try (MailReceiver receiver = MailReceiver.implicitTls(folder.resolve("pki"))) {
            DeliveryQueue queue =
                    queue("127.0.0.1", receiver.port(), Encryption.IMPLICIT, "", "", LONG);
            begin(queue, 1, "web-1");
            assertThat(queue.send()).as(() -> "" + queue.condition()).isTrue();
            assertThat(receiver.received()).hasSize(1);
        }
    }

    @Test
    void withoutStartTlsNothingIsSent() throws Exception {
        try (MailReceiver receiver = MailReceiver.plain()) {
            DeliveryQueue queue =
                    queue(
                            "localhost",
                            receiver.port(),
                            Encryption.STARTTLS,
                            MailReceiver.USER,
                            MailReceiver.PASSWORD,
                            LONG);
            begin(queue, 1, "web-1");
            assertThat(queue.send()).isFalse();
            assertThat(queue.condition().trouble()).contains("STARTTLS is required");
            assertThat(receiver.received()).isEmpty();
            assertThat(queue.waiting()).isEqualTo(1);
        }
    }

    @Test
    void aCertificateOfAnotherNameIsRefusedBeforeTheLogin() throws Exception {
        try (MailReceiver receiver = MailReceiver.startTlsAsAnotherHost(folder.resolve("pki"))) {
            assertThat(troubleWithTls(receiver)).contains("localhost");
        }
    }

    @Test
    void aCertificateOfAnUnknownAuthorityIsRefusedBeforeTheLogin() throws Exception {
        try (MailReceiver receiver = MailReceiver.startTls(folder.resolve("pki"))) {
            Files.move(folder.resolve("pki/ca.pem"), folder.resolve("pki/other.pem"));
            assertThat(troubleWithTls(receiver)).contains("certification path");
        }
    }

    private String troubleWithTls(MailReceiver receiver) throws Exception {
        DeliveryQueue queue =
                queue(
                        "localhost",
                        receiver.port(),
                        Encryption.STARTTLS,
                        MailReceiver.USER,
                        MailReceiver.PASSWORD,
                        LONG);
        begin(queue, 1, "web-1");
        assertThat(queue.send()).isFalse();
        assertThat(receiver.received()).isEmpty();
        return queue.condition().trouble();
    }

    @Test
    void aRefusedLoginIsNamedWithoutThePassword() throws Exception {
        try (MailReceiver receiver = MailReceiver.startTls(folder.resolve("pki"))) {
            DeliveryQueue queue =
                    queue(
                            "localhost",
                            receiver.port(),
                            Encryption.STARTTLS,
                            MailReceiver.USER,
                            "wrong-secret",
                            LONG);
            begin(queue, 1, "web-1");
            for (int i = 0; i < 10; i++) {
                assertThat(queue.send()).isFalse();
            }
            assertThat(queue.condition().trouble())
                    .contains("the login is refused", "535")
                    .doesNotContain("wrong-secret");
            assertThat(queue.condition().failingSince()).isNotNull();
            assertThat(queue.waiting()).as("it may be mended").isEqualTo(1);
            assertThat(count("failed")).isEqualTo(10);
        }
    }

    @Test
    void aRefusedRecipientDoesNotKeepTheOthersFromTheirMail() throws Exception {
        try (MailReceiver receiver = MailReceiver.plain()) {
            receiver.refuseRecipient(TO.getFirst());
            DeliveryQueue queue = plain(receiver);
            begin(queue, 1, "web-1");
            assertThat(queue.send()).isTrue();
            assertThat(receiver.received().getFirst().to()).containsExactly(TO.getLast());
            assertThat(queue.condition().trouble())
                    .contains("some recipients are refused", "no such mailbox");

            receiver.refuseRecipient("");
            begin(queue, 2, "web-2");
            assertThat(queue.send()).isTrue();
            assertThat(queue.condition().trouble()).isNull();
        }
    }

    @Test
    void aMessageThatIsRefusedForGoodMakesRoomAndOneThatIsRefusedForNowWaits() throws Exception {
        try (MailReceiver receiver = MailReceiver.plain()) {
            DeliveryQueue queue = plain(receiver);
            receiver.refuseMessages(451);
            begin(queue, 1, "web-1");
            for (int i = 0; i < 7; i++) {
                assertThat(queue.send()).isFalse();
            }
            assertThat(queue.waiting()).isEqualTo(1);

            receiver.refuseMessages(554);
            for (int i = 0; i < 5; i++) {
                assertThat(queue.waiting()).isEqualTo(1);
                assertThat(queue.send()).isFalse();
            }
            assertThat(queue.waiting()).isZero();
            assertThat(count("dropped")).isEqualTo(1);
            assertThat(queue.condition().trouble()).contains("not today");

            receiver.refuseMessages(0);
            begin(queue, 2, "web-2");
            assertThat(queue.send()).isTrue();
            assertThat(receiver.received().getFirst().subject()).contains("web-2");
        }
    }

    @Test
    void hostileLabelsMakeNoHeaderAndNoRecipient() throws Exception {
        try (MailReceiver receiver = MailReceiver.plain()) {
            DeliveryQueue queue = plain(receiver);
            begin(queue, 1, "web\r\nBcc: eve@example.com\r\n\r\n.\r\nQUIT\r\n");
            assertThat(queue.send()).isTrue();
            Received mail = receiver.received().getFirst();
            assertThat(mail.to()).containsExactlyElementsOf(TO);
            assertThat(mail.message().getHeader("Bcc")).isNull();
            assertThat(mail.message().getAllRecipients()).hasSize(2);
            assertThat(mail.subject())
                    .isEqualTo("[FIRING] BusyVm: web  Bcc: eve@example.com    .  QUIT");
            assertThat(mail.text()).endsWith("Stillwater, https://engine.example\r\n");
        }
    }

    @Test
    void aDeadServerIsTriedAgain() throws Exception {
        int port = FreePorts.next();
        DeliveryQueue queue = queue("127.0.0.1", port, Encryption.NONE, "", "", LONG);
        begin(queue, 1, "web-1");
        assertThat(queue.send()).isFalse();
        assertThat(queue.condition().trouble()).containsIgnoringCase("connect");
        assertThat(queue.waiting()).isEqualTo(1);
    }

    /** The answers of a server that accepts a connection and then delays it without end. */
    @ParameterizedTest
    @ValueSource(strings = {"", "220 ", "220 localhost\r\n250-loc"})
    void aSlowServerIsCutOffAndNothingWaitsForIt(String beginning) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            CountDownLatch connected = new CountDownLatch(1);
            Thread slow = Thread.ofVirtual().start(() -> speakSlowly(server, beginning, connected));
            DeliveryQueue queue =
                    queue(
                            "127.0.0.1",
                            server.getLocalPort(),
                            Encryption.NONE,
                            "",
                            "",
                            beginning.isEmpty() ? SHORT : SHORT.multipliedBy(3));
            begin(queue, 1, "web-1");
            Thread sender =
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    boolean _ = queue.send();
                                } catch (InterruptedException _) {
                                    Thread.currentThread().interrupt(); // ends the thread
                                }
                            });
            assertThat(connected.await(30, TimeUnit.SECONDS)).isTrue();
            begin(queue, 2, "web-2"); // does not wait for the server
            assertThat(sender.join(Duration.ofSeconds(30))).isTrue();
            assertThat(queue.condition().trouble()).containsAnyOf("not within", "timed out");
            assertThat(queue.waiting()).isEqualTo(2);
            assertThat(slow.join(Duration.ofSeconds(30))).as("its connection is cut").isTrue();
        }
    }

    /** A byte now and then, so that each single wait of the reader is short. */
    private static void speakSlowly(
            ServerSocket server, String beginning, CountDownLatch connected) {
        try (Socket socket = server.accept()) {
            connected.countDown();
            OutputStream out = socket.getOutputStream();
            out.write(beginning.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            socket.setSoTimeout(20);
            while (true) {
                try {
                    if (socket.getInputStream().read() < 0) {
                        return;
                    }
                } catch (java.net.SocketTimeoutException _) {
                    if (!beginning.isEmpty()) {
                        out.write('x');
                        out.flush();
                    }
                }
            }
        } catch (IOException _) {
            // cut
        }
    }
}

package org.stillwater.server.alert;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.stillwater.fake.pki.Identity;
import org.stillwater.fake.pki.PkiDirectory;
import org.stillwater.server.ReadyPki;
import org.subethamail.smtp.MessageContext;
import org.subethamail.smtp.MessageHandler;
import org.subethamail.smtp.RejectException;
import org.subethamail.smtp.auth.LoginFailedException;
import org.subethamail.smtp.auth.PlainAuthenticationHandlerFactory;
import org.subethamail.smtp.server.SMTPServer;

/** A real SMTP server on the loopback address, by an implementation that is not ours. */
public final class MailReceiver implements AutoCloseable {

    public static final String USER = "engine";
    public static final String PASSWORD = "mail-secret-1";

    private final SMTPServer server;
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private volatile String refusedRecipient = "";
    private volatile int refusal;

    /** A message and its envelope. */
    public record Received(
            String from, List<String> to, boolean encrypted, boolean loggedIn, String raw) {

        public MimeMessage message() {
            try {
                return new MimeMessage(
                        Session.getInstance(new Properties()),
                        new ByteArrayInputStream(raw.getBytes(StandardCharsets.ISO_8859_1)));
            } catch (MessagingException e) {
                throw new AssertionError(e);
            }
        }

        public String subject() {
            try {
                return message().getSubject();
            } catch (MessagingException e) {
                throw new AssertionError(e);
            }
        }

        public String text() {
            try {
                return (String) message().getContent();
            } catch (MessagingException e) {
                throw new AssertionError(e);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private MailReceiver(UnaryOperator<SMTPServer.Builder> options) {
        server =
                options.apply(
                                SMTPServer.port(0)
                                        .bindAddress(InetAddress.getLoopbackAddress())
                                        .hostName("localhost")
                                        .insertReceivedHeaders(false)
                                        .messageHandlerFactory(Transaction::new))
                        .build();
        server.start();
    }

    /** Without TLS. */
    public static MailReceiver plain() {
        return new MailReceiver(builder -> builder);
    }

    /** Takes messages after STARTTLS and a login only. */
    public static MailReceiver startTls(Path pki) throws Exception {
        return startTls(open(pki).sharedHost());
    }

    /** The same with a certificate for another host. */
    static MailReceiver startTlsAsAnotherHost(Path pki) throws Exception {
        return startTls(open(pki).badHost(PkiDirectory.Flaw.WRONG_NAME, "x", List.of()));
    }

    private static MailReceiver startTls(Identity identity) throws GeneralSecurityException {
        SSLContext tls = context(identity);
        return new MailReceiver(builder ->
                builder.requireTLS()
                        .startTlsSocketFactory(tls)
                        .authenticationHandlerFactory(
                                new PlainAuthenticationHandlerFactory((user, password, _) -> {
                                    if (!user.equals(USER) || !password.equals(PASSWORD)) {
                                        throw new LoginFailedException();
                                    }
                                }))
                        .requireAuth());
    }

    /** Speaks TLS from the first byte. */
    public static MailReceiver implicitTls(Path pki) throws Exception {
        SSLContext tls = context(open(pki).sharedHost());
        return new MailReceiver(builder -> builder.serverSocketFactory(tls));
    }

    private static PkiDirectory open(Path pki) throws IOException, GeneralSecurityException {
        ReadyPki.copyTo(pki);
        return PkiDirectory.open(pki, Instant.now(), PkiDirectory.DEFAULT_PASSWORD.toCharArray());
    }

    private static SSLContext context(Identity identity) throws GeneralSecurityException {
        char[] password = "x".toCharArray();
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(identity.keyStoreForThisProcess(password), password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    public int port() {
        return server.getPortAllocated();
    }

    public List<Received> received() {
        return received;
    }

    /** From now on this recipient is refused for good. */
    void refuseRecipient(String recipient) {
        refusedRecipient = recipient;
    }

    /** From now on messages are refused by this code; 0 takes them again. */
    void refuseMessages(int code) {
        refusal = code;
    }

    @Override
    public void close() {
        server.stop();
    }

    private final class Transaction implements MessageHandler {

        private final MessageContext context;
        private final List<String> to = new ArrayList<>();
        private String from = "";

        Transaction(MessageContext context) {
            this.context = context;
        }

        @Override
        public void from(String sender) {
            from = sender;
        }

        @Override
        public void recipient(String recipient) throws RejectException {
            if (recipient.equals(refusedRecipient)) {
                throw new RejectException(550, "no such mailbox");
            }
            to.add(recipient);
        }

        @Override
        public String data(InputStream data) throws RejectException, IOException {
            String raw = new String(data.readAllBytes(), StandardCharsets.ISO_8859_1);
            int code = refusal;
            if (code != 0) {
                throw new RejectException(code, "not today");
            }
            received.add(
                    new Received(
                            from,
                            List.copyOf(to),
                            ((org.subethamail.smtp.server.Session) context).isTLSStarted(),
                            ((org.subethamail.smtp.server.Session) context).isAuthenticated(),
                            raw));
            return null;
        }

        @Override
        public void done() {}
    }
}

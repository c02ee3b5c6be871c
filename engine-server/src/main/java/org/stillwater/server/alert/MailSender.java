package org.stillwater.server.alert;

import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.settings.MailSettings;

/**
 * Sends notices by e-mail: one message for a batch, over a connection of its own. A thread of its
 * own speaks with the server, so that a server that sends a byte now and then does not hold the
 * sender longer than its time: the connection is cut.
 */
final class MailSender implements NoticeSender {

    private static final Duration LAST_PATIENCE = Duration.ofSeconds(2);
    private static final int PERMANENT = 5;
    private static final int HUNDRED = 100;

    private final MailSettings settings;
    private final String engineUrl;
    private final EngineClock clock;

    MailSender(MailSettings settings, String engineUrl, EngineClock clock) {
        this.settings = settings;
        this.engineUrl = engineUrl;
        this.clock = clock;
    }

    @Override
    public Outcome send(List<Notice> batch) throws InterruptedException {
        Conversation conversation = new Conversation(batch);
        Thread speaker = Thread.ofVirtual().name("alert-mail-speaker").start(conversation);
        boolean over = false;
        try {
            over = speaker.join(settings.timeout());
        } finally {
            if (!over) {
                conversation.sockets.cut();
                speaker.interrupt();
            }
        }
        if (!over && !speaker.join(LAST_PATIENCE)) {
            return new Outcome.Failed("not within " + settings.timeout());
        }
        Outcome outcome = conversation.outcome;
        return outcome == null || (!over && !(outcome instanceof Outcome.Taken))
                ? new Outcome.Failed("not within " + settings.timeout())
                : outcome;
    }

    /** One e-mail on its way. */
    private final class Conversation implements Runnable {

        private final List<Notice> batch;
        private final MailSockets sockets = new MailSockets();
        private volatile @Nullable Outcome outcome;

        Conversation(List<Notice> batch) {
            this.batch = batch;
        }

        @Override
        public void run() {
            outcome = speak();
        }

        private Outcome speak() {
            try {
                Session session = Session.getInstance(properties(sockets));
                MimeMessage message = message(session, batch);
                Transport transport = session.getTransport("smtp");
                try {
                    transport.connect(
                            settings.host(),
                            settings.port(),
                            settings.user().isEmpty() ? null : settings.user(),
                            settings.password().isEmpty() ? null : settings.password());
                    transport.sendMessage(message, message.getAllRecipients());
                } finally {
                    closeQuietly(transport);
                }
                return new Outcome.Taken(null);
            } catch (AuthenticationFailedException e) {
                return new Outcome.Failed("the login is refused: " + reason(e));
            } catch (SendFailedException e) {
                return of(e);
            } catch (MessagingException e) {
                return new Outcome.Failed(reason(e));
            } catch (RuntimeException e) { // of a library, or of files of certificates
                return new Outcome.Failed(reason(e));
            }
        }
    }

    private static void closeQuietly(Transport transport) {
        try {
            transport.close();
        } catch (MessagingException _) {
            // The server has taken the message, or a failure is on its way already.
        }
    }

    private Properties properties(MailSockets sockets) {
        Properties all = new Properties();
        String millis = Long.toString(settings.timeout().toMillis());
        all.put("mail.smtp.connectiontimeout", millis);
        all.put("mail.smtp.timeout", millis);
        all.put("mail.smtp.auth", Boolean.toString(!settings.user().isEmpty()));
        all.put("mail.smtp.sendpartial", "true");
        all.put("mail.smtp.quitwait", "false");
        all.put("mail.smtp.socketFactory", sockets);
        all.put("mail.smtp.socketFactory.fallback", "false");
        switch (settings.tls()) {
            case STARTTLS -> {
                all.put("mail.smtp.starttls.enable", "true");
                all.put("mail.smtp.starttls.required", "true");
            }
            case IMPLICIT -> all.put("mail.smtp.ssl.enable", "true");
            case NONE -> {}
        }
        if (settings.tls() != MailSettings.Encryption.NONE) {
            all.put("mail.smtp.ssl.socketFactory", sockets.withTls(tls().getSocketFactory()));
            all.put("mail.smtp.ssl.socketFactory.fallback", "false");
            all.put("mail.smtp.ssl.checkserveridentity", "false"); // the handshake has done it
            all.put("mail.smtp.ssl.protocols", "TLSv1.3 TLSv1.2");
        }
        return all;
    }

    /** Reads the authorities again, so that the next e-mail uses a new file. */
    private SSLContext tls() {
        Path trust = settings.trust();
        return SslBundle.of(
                        trust == null
                                ? null
                                : new PemSslStoreBundle(
                                        null,
                                        PemSslStoreDetails.forCertificate(
                                                trust.toUri().toString())))
                .createSslContext();
    }

    private MimeMessage message(Session session, List<Notice> batch) throws MessagingException {
        MailText text = MailText.of(batch, engineUrl, settings.listed());
        Identified message = new Identified(session, identity(batch, false));
        message.setFrom(new InternetAddress(settings.from(), true));
        for (String each : settings.to()) {
            message.addRecipient(Message.RecipientType.TO, new InternetAddress(each, true));
        }
        message.setSubject(text.subject(), StandardCharsets.UTF_8.name());
        message.setText(text.body(), StandardCharsets.UTF_8.name());
        message.setHeader("Content-Transfer-Encoding", "quoted-printable");
        message.setHeader("Auto-Submitted", "auto-generated"); // RFC 3834: nothing answers it
        if (batch.size() == 1 && batch.getFirst().end() != null) {
            message.setHeader("In-Reply-To", identity(batch, true));
            message.setHeader("References", identity(batch, true));
        }
        message.setSentDate(Date.from(clock.now()));
        message.saveChanges();
        return message;
    }

    /**
     * The same for another attempt, so that servers and readers recognize a second copy.
     *
     * @param begin of the e-mail about the begin of an alert
     */
    private String identity(List<Notice> batch, boolean begin) {
        StringBuilder all = new StringBuilder();
        for (Notice each : batch) {
            all.append(each.id()).append(begin || each.end() == null ? '+' : '-');
        }
        UUID id = UUID.nameUUIDFromBytes(all.toString().getBytes(StandardCharsets.UTF_8));
        return "<" + id + settings.from().substring(settings.from().indexOf('@')) + ">";
    }

    private static Outcome of(SendFailedException failure) {
        List<String> reasons = new ArrayList<>();
        boolean forGood = false;
        boolean perhapsLater = false;
        for (Exception each = failure; each != null; each = next(each)) {
            int code =
                    switch (each) {
                        case SMTPAddressFailedException address -> address.getReturnCode();
                        case SMTPSendFailedException whole -> whole.getReturnCode();
                        default -> 0;
                    };
            if (code / HUNDRED == PERMANENT) {
                forGood = true;
            } else if (code != 0 || !(each instanceof SendFailedException)) {
                perhapsLater = true;
            }
            reasons.add(CleanText.line(String.valueOf(each.getMessage()), 200));
        }
        String reason = CleanText.line(String.join("; ", reasons));
        if (failure.getValidSentAddresses() != null && failure.getValidSentAddresses().length > 0) {
            return new Outcome.Taken("some recipients are refused: " + reason);
        }
        return forGood && !perhapsLater ? new Outcome.Refused(reason) : new Outcome.Failed(reason);
    }

    private static @Nullable Exception next(Exception of) {
        return of instanceof MessagingException chained ? chained.getNextException() : null;
    }

    private static String reason(Exception failure) {
        Exception last = failure;
        for (Exception each = next(failure); each != null; each = next(each)) {
            last = each;
        }
        String reason = String.valueOf(failure.getMessage());
        return CleanText.line(last.equals(failure) ? reason : reason + ": " + last.getMessage());
    }

    /** Keeps its identity when the library would give it another one. */
    private static final class Identified extends MimeMessage {

        private final String identity;

        Identified(Session session, String identity) {
            super(session);
            this.identity = identity;
        }

        @Override
        protected void updateMessageID() throws MessagingException {
            setHeader("Message-ID", identity);
        }
    }
}

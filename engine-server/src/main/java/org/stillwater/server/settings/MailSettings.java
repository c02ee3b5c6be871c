package org.stillwater.server.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Delivery of alerts by e-mail (SMTP).
 *
 * @param host name or address of the mail server; empty for no e-mail
 * @param port of the mail server; usually 587, 465 with implicit TLS, 25 without TLS
 * @param tls starttls (required: without it the engine sends nothing), implicit, or none
 * @param trust PEM file with the certificates of the authorities that sign the mail server; those
 *     of the Java runtime if it is left out
 * @param user of the login at the mail server; empty for no login. A login takes TLS
 * @param password of that login; better given as a credential
 * @param from address that e-mails come from
 * @param to addresses that e-mails go to, by commas
 * @param timeout longest time for one e-mail, with connection, TLS and login
 * @param gather wait for more alerts after the first one
 * @param interval least time between two e-mails; alerts in between share the next one
 * @param listed alerts that one e-mail describes; further ones are counted in it
 */
@ConfigurationProperties("stillwater.alerts.mail")
public record MailSettings(
        @DefaultValue("") String host,
        @DefaultValue("587") int port,
        @DefaultValue("starttls") Encryption tls,
        @Nullable Path trust,
        @DefaultValue("") String user,
        @DefaultValue("") String password,
        @DefaultValue("") String from,
        @DefaultValue List<String> to,
        @DefaultValue("30s") Duration timeout,
        @DefaultValue("5s") Duration gather,
        @DefaultValue("1m") Duration interval,
        @DefaultValue("50") int listed) {

    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:-]{1,253}");
    private static final Pattern ADDRESS =
            Pattern.compile("[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9.-]{1,253}");
    private static final int MOST_RECIPIENTS = 100;
    private static final Duration HOUR = Duration.ofHours(1);

    /** The encryption of the connection to the mail server. */
    public enum Encryption {
        /** Begins in the clear; TLS is required before any command. */
        STARTTLS,
        /** TLS from the first byte. */
        IMPLICIT,
        /** None. */
        NONE
    }

    public MailSettings {
        to = List.copyOf(to);
        Checks.number("alerts.mail.port", port, 1, 65_535);
        Checks.duration(
                "alerts.mail.timeout", timeout, Duration.ofMillis(1), Duration.ofMinutes(5));
        Checks.duration("alerts.mail.gather", gather, Duration.ZERO, HOUR);
        Checks.duration("alerts.mail.interval", interval, Duration.ZERO, Duration.ofDays(1));
        Checks.number("alerts.mail.listed", listed, 1, 1_000);
        if (!host.isEmpty()) {
            Checks.require(HOST.matcher(host).matches(), "alerts.mail.host", "a name", "this");
            Checks.require(
                    ADDRESS.matcher(from).matches(), "alerts.mail.from", "an address", "this");
            Checks.require(
                    !to.isEmpty() && to.size() <= MOST_RECIPIENTS,
                    "alerts.mail.to",
                    "1 to " + MOST_RECIPIENTS + " addresses",
                    to.size() + " addresses");
            Checks.require(
                    to.stream().allMatch(each -> ADDRESS.matcher(each).matches()),
                    "alerts.mail.to",
                    "addresses by commas",
                    "this");
            Checks.require(
                    user.isEmpty() == password.isEmpty(),
                    "alerts.mail.password",
                    "given with alerts.mail.user, and only then",
                    "this");
            Checks.require(
                    user.isEmpty() || tls != Encryption.NONE,
                    "alerts.mail.tls",
                    "starttls or implicit with alerts.mail.user",
                    "none");
        }
    }

    /** Whether alerts are sent by e-mail. */
    public boolean enabled() {
        return !host.isEmpty();
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "MailSettings[host=" + host + ", port=" + port + ", tls=" + tls + ", to=" + to + "]";
    }
}

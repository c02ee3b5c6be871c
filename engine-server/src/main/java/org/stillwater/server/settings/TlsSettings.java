package org.stillwater.server.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * TLS on the engine's own port. Without files of one's own, the engine makes a certificate
 * authority and a certificate in its data folder.
 *
 * @param enabled whether the port uses TLS; without it, passwords cross the network readable
 * @param certificate PEM file with the engine's certificate, then those of its issuers
 * @param key PEM file with the certificate's private key, PKCS #8, not encrypted
 * @param authority PEM file with the authority's certificate that clients download, if the engine's
 *     own certificate is given
 * @param folder folder of the engine's own authority and certificate only; tls in the data folder
 *     if left out
 * @param names further DNS names and IP addresses by which clients reach the engine, for its own
 *     certificate
 * @param validity validity of a certificate that the engine creates
 * @param renewBefore time before expiry at which it is renewed
 * @param checkInterval interval of the check for changed files and expiry
 */
@ConfigurationProperties("stillwater.tls")
public record TlsSettings(
        @DefaultValue("true") boolean enabled,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable Path authority,
        @Nullable Path folder,
        @DefaultValue List<String> names,
        @DefaultValue("398d") Duration validity,
        @DefaultValue("30d") Duration renewBefore,
        @DefaultValue("10s") Duration checkInterval) {

    public TlsSettings {
        names = List.copyOf(names);
        Checks.require(
                (certificate == null) == (key == null),
                "tls.certificate",
                "given together with stillwater.tls.key",
                "alone");
        Checks.duration("tls.validity", validity, Duration.ofDays(1), Duration.ofDays(3_660));
        Checks.duration("tls.renew-before", renewBefore, Duration.ofHours(1), Duration.ofDays(365));
        Checks.require(
                renewBefore.compareTo(validity) < 0,
                "tls.renew-before",
                "less than stillwater.tls.validity",
                Checks.text(renewBefore));
        Checks.duration(
                "tls.check-interval", checkInterval, Duration.ofMillis(100), Duration.ofHours(1));
    }
}

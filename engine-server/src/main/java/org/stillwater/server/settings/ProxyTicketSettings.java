package org.stillwater.server.settings;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Signed tickets with which a proxy, such as oVirt's {@code ovirt-websocket-proxy}, connects a
 * browser to the console of a VM.
 *
 * @param validity validity of a ticket; the default is that of oVirt's option {@code
 *     WebSocketProxyTicketValiditySeconds}
 * @param certificate PEM file with the certificate by which the proxy checks tickets; its key is an
 *     RSA key. Without it the engine makes a certificate and a key in proxy-tickets of the data
 *     folder. Read at the start
 * @param key PEM file with the certificate's private key, PKCS #8, not encrypted. Read at the start
 */
@ConfigurationProperties("stillwater.ovirt.proxy-tickets")
public record ProxyTicketSettings(
        @DefaultValue("120s") Duration validity, @Nullable Path certificate, @Nullable Path key) {

    public ProxyTicketSettings {
        Checks.duration(
                "ovirt.proxy-tickets.validity",
                validity,
                Duration.ofSeconds(1),
                Duration.ofHours(1));
        Checks.require(
                (certificate == null) == (key == null),
                "ovirt.proxy-tickets.certificate",
                "given together with stillwater.ovirt.proxy-tickets.key",
                "alone");
    }
}

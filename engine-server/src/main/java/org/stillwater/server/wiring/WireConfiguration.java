package org.stillwater.server.wiring;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.meter.WireMeters;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.WireSettings;
import org.stillwater.vdsm.client.SystemTimers;
import org.stillwater.vdsm.client.TlsSettings;
import org.stillwater.vdsm.client.TlsSettings.KeyMaterial;
import org.stillwater.vdsm.client.VdsmClientSettings;
import org.stillwater.vdsm.client.VdsmHostConnector;
import org.stillwater.vdsm.stomp.StompLimits;

/** The connections to hosts. */
@Configuration(proxyBeanMethods = false)
class WireConfiguration {

    private static final Logger log = LoggerFactory.getLogger(WireConfiguration.class);

    @Bean(destroyMethod = "close")
    SystemTimers wireTimers() {
        return new SystemTimers();
    }

    @Bean
    @ConditionalOnMissingBean(HostConnector.class)
    VdsmHostConnector hostConnector(
            WireSettings settings,
            FleetSettings fleet,
            EngineClock clock,
            SystemTimers timers,
            MeterRegistry meters) {
        VdsmHostConnector connector =
                new VdsmHostConnector(
                        translate(settings, fleet.dataFolder().resolve("pki")),
                        clock,
                        timers,
                        new WireMeters(meters),
                        new SecureRandom().nextLong());
        if (settings.tls().enabled() && settings.tls().hasFiles()) {
            try {
                connector.checkTlsFiles();
            } catch (IOException e) {
                throw new StartRefused(
                        "The key and certificates for hosts cannot be used: " + e.getMessage(),
                        "Correct the files or their names in stillwater.wire.tls. PEM keys must"
                                + " not be encrypted; PKCS#12 files need their passwords.",
                        e);
            }
        }
        Gauge.builder("stillwater.wire.buffered", connector, VdsmHostConnector::bufferedBytes)
                .baseUnit("bytes")
                .description("Received messages that are not decoded yet")
                .register(meters);
        return connector;
    }

    private static VdsmClientSettings translate(WireSettings settings, Path pki) {
        return new VdsmClientSettings(
                tls(settings.tls(), pki),
                new VdsmClientSettings.Timeouts(
                        settings.connectTimeout(),
                        settings.handshakeTimeout(),
                        settings.callTimeout(),
                        settings.writeTimeout(),
                        settings.closeTimeout()),
                new VdsmClientSettings.HeartBeats(settings.heartBeatOut(), settings.heartBeatIn()),
                new VdsmClientSettings.Reconnect(
                        settings.reconnectAtLeast(),
                        settings.reconnectAtMost(),
                        settings.connectConcurrency(),
                        settings.connectSpacing()),
                new VdsmClientSettings.Bounds(
                        new StompLimits(
                                StompLimits.DEFAULT.headerBytes(),
                                settings.frameLimit().toBytes(),
                                StompLimits.DEFAULT.rawColons()),
                        settings.outboundFrames(),
                        settings.pendingCalls(),
                        settings.malformedMessages(),
                        settings.idleBuffers().toBytes(),
                        VdsmClientSettings.Bounds.DEFAULT.dumpxmlsChunk(),
                        settings.hostMembers(),
                        settings.receiveRate().toBytes()),
                switch (settings.replies()) {
                    case PRIVATE -> VdsmClientSettings.Replies.PRIVATE;
                    case SHARED -> VdsmClientSettings.Replies.SHARED;
                });
    }

    private static TlsSettings tls(WireSettings.Tls tls, Path pki) {
        if (!tls.enabled()) {
            log.warn("Hosts are reached without TLS: everybody on the way can read and command");
            return new TlsSettings.Plain();
        }
        return new TlsSettings.Mutual(material(tls, pki), tls.protocols(), tls.checkHostName());
    }

    static KeyMaterial material(WireSettings.Tls tls, Path pki) {
        if (tls.keyStore() != null && tls.trustStore() != null) {
            return new KeyMaterial.Pkcs12(
                    tls.keyStore(),
                    tls.keyStorePassword(),
                    tls.trustStore(),
                    tls.trustStorePassword());
        }
        if (tls.key() != null && tls.certificate() != null && tls.trust() != null) {
            return new KeyMaterial.Pem(tls.key(), tls.certificate(), tls.trust());
        }
        log.info(
                "No TLS files are named; hosts can be reached as soon as engine.key.pem, engine.pem"
                        + " and ca.pem are in {}",
                pki);
        return new KeyMaterial.Pem(
                pki.resolve("engine.key.pem"), pki.resolve("engine.pem"), pki.resolve("ca.pem"));
    }
}

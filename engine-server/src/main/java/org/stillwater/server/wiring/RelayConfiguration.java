package org.stillwater.server.wiring;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.time.EngineClock;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.relay.intake.RelayServer;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.RelaySettings;
import org.stillwater.vdsm.client.TlsSettings.KeyMaterial;

/** Relays, if the engine listens for them. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("stillwater.relay.enabled")
class RelayConfiguration {

    private static final String ADVICE =
            "Correct stillwater.relay: its address and port, its files in PEM, and its hosts, of"
                    + " which each belongs to one relay.";

    @Bean
    RelayIntake relayIntake(RelaySettings settings, EngineClock clock) {
        try {
            return new RelayIntake(settings.hostsByRelay(), settings.mostCells(), clock);
        } catch (IllegalArgumentException e) {
            throw new StartRefused("Relays cannot be taken: " + e.getMessage(), ADVICE, e);
        }
    }

    @Bean(destroyMethod = "close")
    RelayServer relayServer(
            RelaySettings settings,
            CycleSettings cycle,
            FleetSettings fleet,
            RelayIntake intake,
            EngineClock clock,
            MeterRegistry meters) {
        KeyMaterial.Pem files = material(settings, fleet.dataFolder().resolve("pki"));
        try {
            RelayServer server =
                    RelayServer.start(
                            new InetSocketAddress(
                                    InetAddress.ofLiteral(settings.address()), settings.port()),
                            new RelayServer.Files(
                                    files.key().toFile(),
                                    files.certificate().toFile(),
                                    files.authorities().toFile()),
                            new RelayServer.Pace(
                                    cycle.interval(),
                                    settings.window(),
                                    settings.mark(),
                                    settings.silentStreams(),
                                    settings.helloTimeout()),
                            intake,
                            clock);
            Gauge.builder("stillwater.relay.connected", server, RelayServer::connected)
                    .baseUnit("relays")
                    .description("Relays that are connected")
                    .register(meters);
            Gauge.builder("stillwater.relay.hosts", intake, RelayIntake::pushed)
                    .baseUnit("hosts")
                    .description("Hosts for which a relay stands, so that they are not polled")
                    .register(meters);
            return server;
        } catch (IOException | IllegalArgumentException e) {
            throw new StartRefused("Relays cannot be taken: " + e.getMessage(), ADVICE, e);
        }
    }

    static KeyMaterial.Pem material(RelaySettings settings, Path pki) {
        return new KeyMaterial.Pem(
                file(settings.key(), pki, "engine.key.pem"),
                file(settings.certificate(), pki, "engine.pem"),
                file(settings.authorities(), pki, "ca.pem"));
    }

    private static Path file(@Nullable Path given, Path pki, String name) {
        return given == null ? pki.resolve(name) : given;
    }
}

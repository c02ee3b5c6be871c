package org.stillwater.server.wiring;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.File;
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
        Path pki = fleet.dataFolder().resolve("pki");
        try {
            RelayServer server =
                    RelayServer.start(
                            new InetSocketAddress(
                                    InetAddress.ofLiteral(settings.address()), settings.port()),
                            new RelayServer.Files(
                                    file(settings.key(), pki, "engine.key.pem"),
                                    file(settings.certificate(), pki, "engine.pem"),
                                    file(settings.authorities(), pki, "ca.pem")),
                            new RelayServer.Pace(
                                    cycle.interval(), settings.window(), settings.mark()),
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

    private static File file(@Nullable Path given, Path pki, String name) {
        return (given == null ? pki.resolve(name) : given).toFile();
    }
}

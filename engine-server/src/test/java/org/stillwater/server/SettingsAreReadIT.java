package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Field;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.ListeningConnector;
import com.sun.jdi.event.AccessWatchpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.AccessWatchpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.testkit.FreePorts;

/**
 * A real engine is started under a debugger, which watches every component of every record of
 * settings: each is read by the time that the engine watches a host, or is listed here with its
 * later reader. Copies that no code reads are for {@link NothingIsUnusedTest}, which follows the
 * copies.
 */
@Tag("full") // an interpreted engine takes minutes on a busy machine
@Timeout(1200)
class SettingsAreReadIT {

    private static final String SETTINGS = CycleSettings.class.getPackageName();
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /**
     * Settings that a start has no use for: record, components, and what reads them later. That
     * they have a reader at all is for {@link NothingIsUnusedTest}.
     */
    private static final String READ_LATER =
            """
            AddressRange bits network: a request through a proxy
            AdmissionSettings burst maxQuery: requests beyond their limits
            AlertSettings batch externalUrl firstRetry longestRetry queue timeout: a receiver of alerts
            CommandsSettings enabled: the condition on commands, from the environment
            DiskSettings interval stopHistoryBelow warnBelow: the disk of an embedded database
            EmbeddedDatabaseSettings binariesFolder dataFolder logLimit maxConnections port sharedBuffers: no database by URL
            EmbeddedDatabaseSettings startTimeout stopTimeout user: no database by URL
            HttpSettings bodyRate bodyTimeout headTimeout: a request that is slow
            KdumpSettings port retry: a listener for kernel dumps
            LoginSettings patience waiting: a login
            MailSettings from gather interval listed password port timeout tls to trust user: a mail server
            MetricsSettings exporterNames: a scrape
            OidcSettings audience clientId clientSecret nameClaim profile roles rolesClaim scopes: an issuer
            OidcSettings sessionLongest timeout: an issuer
            OtlpSettings enabled headers interval timeout url: a collector
            OvirtSettings gzipAtLeast gzipLevel tagBuffer: a request of a client of oVirt
            PowerFenceSettings directory: a fence agent
            RelaySettings address authorities certificate enabled hosts key mark mostCells port window: a relay
            RelaySettings callSize calls callsPerHost commands: a relay
            RestSettings defaultPageSize maxPageSize: a page
            SecuritySettings anonymousOnAnyAddress maxSessions sessionIdle sessionsPerAddress: a session
            SecuritySettings sessionsPerUser sessionsWithoutGrant: a session
            SshFenceSettings atOnce connectTimeout enabled identity knownHosts port program timeLimit user: soft fencing
            StreamSettings firstMessage maxPerAddress maxPerUser retry sendTimeout: a reader of the stream
            TlsSettings authority checkInterval key names renewBefore validity: TLS
            WireSettings$Tls keyStorePassword trustStore trustStorePassword: a key store of hosts' TLS
            """;

    @TempDir Path folder;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private String address = "";
    private final Set<String> declared = new ConcurrentSkipListSet<>();
    private final Set<String> read = new ConcurrentSkipListSet<>();

    @Test
    void everySettingIsReadByAStart() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet = SimulatedFleet.start(folder, WorldSettings.of(31, 1, 1))) {
            ListeningConnector debugger = debugger();
            Map<String, Connector.Argument> where = debugger.defaultArguments();
            where.get("localAddress").setValue("127.0.0.1");
            String port = debugger.startListening(where);
            int http = FreePorts.next();
            address = "http://127.0.0.1:" + http;
            Process engine = engine(port, http, database, fleet);
            try {
                VirtualMachine machine = debugger.accept(where);
                Thread watcher = Thread.ofPlatform().daemon().start(() -> watch(machine));
                await(engine, () -> get("/api/v1/hosts").contains("\"up\""));
                assertThat(declared).as("components of settings").hasSizeGreaterThan(150);
                await(engine, () -> readLater().containsAll(unread()));
                machine.dispose();
                watcher.join();
            } finally {
                debugger.stopListening(where);
                engine.destroyForcibly().waitFor();
            }
        }
    }

    private static Set<String> readLater() {
        Set<String> later = new TreeSet<>();
        READ_LATER
                .lines()
                .map(line -> line.substring(0, line.indexOf(':')).split(" "))
                .forEach(words -> {
                    for (int i = 1; i < words.length; i++) {
                        later.add(words[0] + "." + words[i]);
                    }
                });
        return later;
    }

    private Set<String> unread() {
        Set<String> unread = new TreeSet<>(declared);
        unread.removeAll(read);
        return unread;
    }

    private static ListeningConnector debugger() {
        return Bootstrap.virtualMachineManager().listeningConnectors().stream()
                .filter(each -> each.name().equals("com.sun.jdi.SocketListen"))
                .findFirst()
                .orElseThrow();
    }

    private Process engine(String debugger, int http, TestDatabase database, SimulatedFleet fleet)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=" + debugger);
        command.add("-Xmx384m");
        command.add("-XX:+UseSerialGC");
        command.add("-Xint"); // compiled code may read a field without an event
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(StillwaterApplication.class.getName());
        command.addAll(fleet.engineArguments());
        command.add("--server.port=" + http);
        command.add("--stillwater.data-folder=" + folder.resolve("data"));
        command.add("--stillwater.security.anonymous-role=administrator");
        command.add("--stillwater.tls.enabled=false");
        command.add("--stillwater.security.initial-password=" + RunningEngine.PASSWORD);
        command.add("--spring.datasource.url=" + database.jdbcUrl());
        command.add("--spring.datasource.username=" + database.worker().user());
        command.add("--spring.datasource.password=" + database.worker().password());
        command.add("--stillwater.database.migration.username=" + database.owner().user());
        command.add("--stillwater.database.migration.password=" + database.owner().password());
        command.add("--stillwater.cycle.connect-spread=0s");
        for (String pool : List.of("database", "history.store")) {
            // An interpreted engine takes seconds for the password of a connection.
            command.add("--stillwater." + pool + ".connect-timeout=2m");
        }
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log().toFile())
                .start();
    }

    private Path log() {
        return folder.resolve("engine.log");
    }

    // -------------------------------------------------------------------------- the debugger

    private void watch(VirtualMachine machine) {
        ClassPrepareRequest prepared = machine.eventRequestManager().createClassPrepareRequest();
        prepared.addClassFilter(SETTINGS + ".*");
        prepared.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        prepared.enable();
        try {
            while (true) {
                EventSet events = machine.eventQueue().remove();
                for (Event event : events) {
                    switch (event) {
                        case ClassPrepareEvent loaded -> watch(machine, loaded.referenceType());
                        case AccessWatchpointEvent access -> {
                            read.add(name(access.field()));
                            access.request().disable();
                        }
                        default -> {}
                    }
                }
                events.resume();
            }
        } catch (VMDisconnectedException _) {
            // the engine ended, or the test has seen enough
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch(VirtualMachine machine, ReferenceType type) {
        for (Field field : type.fields()) {
            if (!field.isStatic() && !field.isSynthetic()) {
                AccessWatchpointRequest access =
                        machine.eventRequestManager().createAccessWatchpointRequest(field);
                access.setSuspendPolicy(EventRequest.SUSPEND_NONE);
                access.enable();
                declared.add(name(field));
            }
        }
    }

    private static String name(Field field) {
        return field.declaringType().name().substring(SETTINGS.length() + 1) + "." + field.name();
    }

    // ---------------------------------------------------------------------------- the engine

    private void await(Process engine, BooleanSupplier condition) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(engine.isAlive()).as(() -> "the engine lives: " + said()).isTrue();
            if (System.nanoTime() > end) {
                assertThat(readLater())
                        .as("settings that a start does not read, and that are not listed")
                        .containsAll(unread());
                throw new AssertionError("no host is up: " + said());
            }
            LockSupport.parkNanos(50_000_000); // another process, whose time is the wall's
        }
    }

    /** The engine's answer; empty while there is none. */
    private String get(String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address + path)).build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException _) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private String said() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

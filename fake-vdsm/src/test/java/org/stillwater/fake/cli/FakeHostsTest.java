package org.stillwater.fake.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.fake.net.HostTransport.Listening;
import org.stillwater.fake.net.TransportMetrics;
import org.stillwater.fake.net.TransportSettings;
import org.stillwater.fake.world.WorldSettings;
import picocli.CommandLine;

class FakeHostsTest {

    @TempDir Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine commandLine = FakeHosts.commandLine();
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    /** The launcher answers before a build; {@code -Dstillwater.docs=write} renews its text. */
    @Test
    void theLauncherAnswersWithTheSameHelp() throws IOException {
        String help =
                FakeHosts.commandLine()
                        .setUsageHelpAutoWidth(false)
                        .getUsageMessage(CommandLine.Help.Ansi.OFF);
        Path file = Path.of("../launcher/help/fake-hosts.txt");
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, help);
        }
        assertThat(file).as("-Dstillwater.docs=write renews it").hasContent(help);
    }

    private FleetSettings settings(Path pki, Integer controlPort) {
        return new FleetSettings(
                WorldSettings.of(7, 3, 2),
                TransportSettings.DEFAULT,
                Addresses.byPort("localhost", 0, 3),
                pki,
                "secret",
                controlPort,
                1,
                SpontaneousEvents.Pace.GENTLE,
                null);
    }

    @Test
    void helpNamesEveryOption() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains("--hosts", "--vms", "--seed", "--port, --first-port", "--address-base")
                .contains("--plain", "--pki", "--control-port", "--report-size", "--speed")
                .contains("--profile", "--life", "--faithful", "Exit codes:", "Examples:");
        assertThat(run("ca", "--help")).isZero();
        assertThat(out.toString()).contains("--dir", "--bad", "engine.p12");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "--hosts 0 | --hosts must be 1 at least",
                "--hosts many | 'many' is not an int",
                "--vms -1 | vmsPerHost must be 0 to 20000",
                "--port 70000 | --port must be between",
                "--port 65000 --hosts 1000 | do not fit",
                "--control-port 70000 | --control-port must be between",
                "--address-base localhost | 'localhost' is not an IP address",
                "--listen nowhere.test | --listen is localhost",
                "--profile 3.6 | unknown profile '3.6'",
                "--host-memory 5 | the memory of a host must be 1024 MiB to 64 TiB",
                "--report-size big | unknown report size 'big'",
                "--speed -1 | --speed must be 0 or more",
                "--tls SSLv3 | --tls supports TLSv1.2 and TLSv1.3, not SSLv3",
                "--life wild | none or gentle",
                "--colour | Unknown option",
                "ca | Missing required option: '--dir=DIR'"
            })
    void wrongOptionsAreNamed(String arguments, String message) {
        assertThat(run(arguments.strip().split(" "))).isEqualTo(2);
        assertThat(err.toString()).contains(message.strip());
    }

    @Test
    void aTakenPortIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            String port = Integer.toString(taken.getLocalPort());
            assertThat(run("--plain", "--hosts", "1", "--port", port, "--control-port", "0"))
                    .isEqualTo(1);
            assertThat(err.toString())
                    .startsWith("fake-hosts: host-0001 cannot listen on 127.0.0.1:" + port)
                    .contains("choose others with --port");
        }
    }

    @Test
    void certificatesAreMadeAlone() {
        Path pki = folder.resolve("pki");
        assertThat(
                        run(
                                "ca",
                                "--dir",
                                pki.toString(),
                                "--name",
                                "node-1=127.9.9.9",
                                "--name",
                                "node-2",
                                "--bad"))
                .isZero();
        assertThat(pki.resolve("engine.p12")).exists();
        assertThat(pki.resolve("hosts/node-1.pem")).exists();
        assertThat(pki.resolve("hosts/node-2.pem")).exists();
        assertThat(pki.resolve("bad/expired.pem")).exists();
        assertThat(run("ca", "--dir", pki.toString(), "--name", "../x")).isEqualTo(2);
        assertThat(run("ca", "--dir", pki.toString(), "--name", "x=y")).isEqualTo(2);
    }

    @Test
    void aFleetListensUntilItIsClosed() throws Exception {
        List<InetSocketAddress> addresses = new ArrayList<>();
        try (Fleet fleet =
                Fleet.start(settings(folder.resolve("pki"), 0), InstantSource.system())) {
            assertThat(fleet.describe())
                    .contains("3 hosts with 2 VMs each (seed 7)", "TLS with certificates in ")
                    .contains("control: http://127.0.0.1:" + fleet.controlAddress().getPort())
                    .doesNotContain("\n");
            fleet.server().hosts().stream().map(Listening::address).forEach(addresses::add);
            addresses.add(fleet.controlAddress());
            assertThat(addresses).hasSize(4);
            for (InetSocketAddress address : addresses) {
                connect(address);
            }
        }
        for (InetSocketAddress address : addresses) {
            assertThatThrownBy(() -> connect(address))
                    .as("%s of %s", address, addresses)
                    .isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void aHostWithoutPowerIsSilentUntilItHasPowerAgain() throws Exception {
        try (Fleet fleet = Fleet.start(settings(null, 0), InstantSource.system());
                HttpClient client = HttpClient.newHttpClient()) {
            String host =
                    "http://127.0.0.1:%d/hosts/host-0001/"
                            .formatted(fleet.controlAddress().getPort());
            InetSocketAddress address =
                    fleet.server().hosts().stream()
                            .filter(listening -> listening.host().value().equals("host-0001"))
                            .findFirst()
                            .orElseThrow()
                            .address();
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                byte[] connect = "CONNECT\naccept-version:1.2\n\n\0".getBytes(US_ASCII);
                socket.getOutputStream().write(connect);
                while (socket.getInputStream().read() > 0) {
                    // the answer, to its end
                }
                assertThat(post(client, host + "lose-power", "{}")).contains("\"off\"");
                socket.getOutputStream().write(connect);
                socket.setSoTimeout(300);
                assertThatThrownBy(() -> socket.getInputStream().read())
                        .isInstanceOf(SocketTimeoutException.class);
                assertThat(post(client, host + "power", "{\"state\": \"on\"}")).contains("\"on\"");
                socket.setSoTimeout(20_000);
                assertThat(endOf(socket)).as("what a lost connection reads").isEqualTo(-1);
            }
            connect(address);
        }
    }

    private static int endOf(Socket socket) {
        try {
            return socket.getInputStream().read();
        } catch (SocketTimeoutException stillOpen) {
            return 0;
        } catch (IOException reset) {
            return -1;
        }
    }

    private static String post(HttpClient client, String uri, String body) throws Exception {
        return client.send(
                        HttpRequest.newBuilder(URI.create(uri))
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void aTakenControlPortIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            assertThatThrownBy(() ->
                            Fleet.start(
                                    settings(null, taken.getLocalPort()), InstantSource.system()))
                    .isInstanceOf(BindException.class)
                    .hasMessageStartingWith("the control port " + taken.getLocalPort());
        }
    }

    @Test
    void theLiveLineShowsRates() throws Exception {
        try (Fleet fleet = Fleet.start(settings(null, 0), InstantSource.system())) {
            TransportMetrics now = fleet.metrics();
            assertThat(LiveLine.text(now, now))
                    .isEqualTo(
                            "0 connections  0 calls/s  0.0 MiB/s out  0 events/s  0 calls  0"
                                    + " events");
        }
    }

    private static void connect(InetSocketAddress address) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            assertThat(socket.isConnected()).isTrue();
        }
    }
}

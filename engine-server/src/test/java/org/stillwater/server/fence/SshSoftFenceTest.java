package org.stillwater.server.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.fence.SoftFence.Answer;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.server.settings.SshFenceSettings;
import org.stillwater.testkit.FreePorts;

/**
 * Real processes: a program that plays the OpenSSH client, in all the ways in which a client may
 * end or not end, and the real client where the machine has one.
 */
@Timeout(60)
class SshSoftFenceTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir private Path folder;
    private Path identity;
    private Path knownHosts;

    @BeforeEach
    void files() throws IOException {
        identity = Files.createFile(folder.resolve("id"));
        knownHosts = Files.createFile(folder.resolve("known_hosts"));
    }

    @Test
    void aClientThatEndsWellHasRestartedTheAgent() throws Exception {
        Path told = folder.resolve("told");
        try (SshSoftFence fence =
                fence(client("for a in \"$@\"; do echo \"$a\"; done > '" + told + "'"), LONG)) {
            assertThat(answer(fence, "-oProxyCommand=reboot")).isEqualTo(new Answer.Restarted());
        }
        List<String> arguments = Files.readAllLines(told);
        assertThat(arguments)
                .containsSequence("--", "-oProxyCommand=reboot", "systemctl", "restart", "vdsmd")
                .containsSequence("-o", "BatchMode=yes")
                .containsSequence("-o", "StrictHostKeyChecking=yes")
                .containsSequence("-o", "UserKnownHostsFile=" + knownHosts)
                .containsSequence("-o", "IdentityFile=" + identity)
                .endsWith("vdsmd");
    }

    @Test
    void theClientHasNoSurroundings() throws Exception {
        Path told = folder.resolve("told");
        try (SshSoftFence fence =
                fence(client("env > '" + told + "'; pwd >> '" + told + "'"), LONG)) {
            assertThat(answer(fence, "h")).isEqualTo(new Answer.Restarted());
        }
        assertThat(Files.readString(told))
                .contains("LC_ALL=C")
                .doesNotContain("HOME=", "SSH_AUTH_SOCK", "JAVA_HOME")
                .endsWith("/\n");
    }

    @Test
    void aFailedClientHasTheReason() throws Exception {
        try (SshSoftFence fence =
                fence(client("echo 'Host key verification failed.' >&2; exit 255"), LONG)) {
            assertThat(answer(fence, "h"))
                    .isEqualTo(
                            new Answer.Failed(
                                    "SSH did not get through: Host key verification failed."));
        }
    }

    @Test
    void aCommandThatFailsOnTheHostIsNamedWithItsCode() throws Exception {
        try (SshSoftFence fence = fence(client("exit 5"), LONG)) {
            assertThat(answer(fence, "h"))
                    .isEqualTo(new Answer.Failed("\"systemctl restart vdsmd\" ended with code 5"));
        }
    }

    @Test
    void garbageWithoutEndIsCutAndFitForALine() throws Exception {
        try (SshSoftFence fence =
                fence(
                        client("head -c 3000000 /dev/urandom; printf '\\n\\033[31m'; exit 1"),
                        LONG)) {
            assertThat(answer(fence, "h"))
                    .isInstanceOfSatisfying(
                            Answer.Failed.class,
                            failed ->
                                    assertThat(failed.reason())
                                            .startsWith(
                                                    "\"systemctl restart vdsmd\" ended with code 1:"
                                                            + " ")
                                            .hasSizeLessThan(400)
                                            .doesNotContainPattern("\\p{Cntrl}"));
        }
    }

    @Test
    void aClientThatHangsIsKilledWithAllThatItStarted() throws Exception {
        Path pids = folder.resolve("pids");
        String hang =
                "sleep 600 & echo $! $$ > '"
                        + pids
                        + ".new'; mv '"
                        + pids
                        + ".new' '"
                        + pids
                        + "'; wait";
        // On a busy machine it may not have begun within a second.
        for (long seconds = 1; !Files.exists(pids); seconds *= 4) {
            assertThat(seconds).as("it never began").isLessThan(60);
            try (SshSoftFence fence = fence(client(hang), Duration.ofSeconds(seconds))) {
                assertThat(answer(fence, "h"))
                        .isEqualTo(
                                new Answer.Failed(
                                        "the restart took more than %d s and was given up"
                                                .formatted(seconds)));
            }
        }
        assertAllEnded(pids);
    }

    @Test
    void anOpenOutputDelaysNothing() throws Exception {
        Path pids = folder.resolve("pids");
        // The client ends; its child keeps the pipe.
        String detached = "setsid sleep 20 & echo $! > '" + pids + "'; exit 0";
        try (SshSoftFence fence = fence(client(detached), LONG)) {
            assertThat(answer(fence, "h")).isEqualTo(new Answer.Restarted());
        } finally {
            for (String pid : Files.readString(pids).strip().split(" ")) {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    @Test
    void closingKillsRunningCommands() throws Exception {
        Path pids = folder.resolve("pids");
        SshSoftFence fence =
                fence(
                        client(
                                "echo $$ > '"
                                        + pids
                                        + ".new'; mv '"
                                        + pids
                                        + ".new' '"
                                        + pids
                                        + "'; sleep 600"),
                        Duration.ofMinutes(5));
        CompletableFuture<Answer> answer = ask(fence, "h");
        while (!Files.exists(pids)) {
            java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
        }

        fence.close();

        assertThat(answer.get(30, TimeUnit.SECONDS)).isInstanceOf(Answer.Failed.class);
        assertAllEnded(pids);
    }

    @Test
    void aMissingClientIsAnAnswer() throws Exception {
        try (SshSoftFence fence = fence(folder.resolve("nowhere"), LONG)) {
            assertThat(answer(fence, "h"))
                    .isInstanceOfSatisfying(
                            Answer.Failed.class,
                            failed ->
                                    assertThat(failed.reason()).startsWith("SSH cannot be run: "));
        }
    }

    @Test
    void noMoreAreUnderWayThanAllowedAndAFreedPlaceIsUsed() throws Exception {
        Path go = folder.resolve("go");
        try (SshSoftFence fence =
                fence(client("while [ ! -e '" + go + "' ]; do sleep 0.05; done"), LONG)) {
            List<CompletableFuture<Answer>> first = new ArrayList<>();
            for (int i = 0; i < fence.atOnce(); i++) {
                first.add(ask(fence, "h" + i));
            }
            assertThat(ask(fence, "one too many").get(30, TimeUnit.SECONDS))
                    .isEqualTo(new Answer.Failed("2 other restarts are under way"));
            Files.createFile(go);
            for (CompletableFuture<Answer> answer : first) {
                assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(new Answer.Restarted());
            }
            assertThat(answer(fence, "h")).isEqualTo(new Answer.Restarted());
        }
    }

    @Test
    void theRealClientUnderstandsEveryOption() throws Exception {
        Path ssh = realClient();
        List<String> command = new ArrayList<>(fence(ssh, LONG).command(host("192.0.2.1")));
        command.add(1, "-G"); // prints the configuration instead of connecting, ssh(1)
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String configuration;
        try (InputStream in = process.getInputStream()) {
            configuration = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(process.waitFor()).as(configuration).isZero();
        assertThat(configuration.lines())
                .contains(
                        "hostname 192.0.2.1",
                        "user root",
                        "port 22",
                        "batchmode yes",
                        "stricthostkeychecking true",
                        "userknownhostsfile " + knownHosts,
                        "globalknownhostsfile none",
                        "identityfile " + identity,
                        "identitiesonly yes",
                        "identityagent none",
                        "preferredauthentications publickey",
                        "forwardagent no",
                        "clearallforwardings yes",
                        "connecttimeout 10",
                        "serveraliveinterval 5",
                        "requesttty false");
    }

    @Test
    void theRealClientReportsAClosedPort() throws Exception {
        Path ssh = realClient();
        int port = FreePorts.next();
        try (SshSoftFence fence = fence(ssh, LONG, port)) {
            assertThat(answer(fence, "127.0.0.1"))
                    .isInstanceOfSatisfying(
                            Answer.Failed.class,
                            failed ->
                                    assertThat(failed.reason())
                                            .startsWith("SSH did not get through: ")
                                            .contains("Connection refused"));
        }
    }

    @Test
    void theRealClientIsKilledWhenTheServerIsSilent() throws Exception {
        Path ssh = realClient();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SshSoftFence fence = fence(ssh, Duration.ofSeconds(1), silent.getLocalPort())) {
            assertThat(answer(fence, "127.0.0.1")).isInstanceOf(Answer.Failed.class);
        }
    }

    private static Path realClient() {
        Path ssh = Path.of("/usr/bin/ssh");
        assumeTrue(Files.isExecutable(ssh), "this machine has no OpenSSH client");
        return ssh;
    }

    private static void assertAllEnded(Path pids) throws IOException {
        for (String pid : Files.readString(pids).strip().split(" ")) {
            ProcessHandle.of(Long.parseLong(pid))
                    .ifPresent(left -> left.onExit().orTimeout(20, TimeUnit.SECONDS).join());
        }
    }

    /** A program in the place of the OpenSSH client. */
    private Path client(String script) throws IOException {
        Path program = folder.resolve("ssh");
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return program;
    }

    private SshSoftFence fence(Path program, Duration timeLimit) {
        return fence(program, timeLimit, 22);
    }

    private SshSoftFence fence(Path program, Duration timeLimit, int port) {
        Duration connectTimeout = Duration.ofSeconds(10);
        return new SshSoftFence(
                new SshFenceSettings(
                        true,
                        program.toString(),
                        identity,
                        knownHosts,
                        "root",
                        port,
                        connectTimeout.compareTo(timeLimit) < 0 ? connectTimeout : timeLimit,
                        timeLimit,
                        2));
    }

    private static CompletableFuture<Answer> ask(SshSoftFence fence, String address) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        fence.restartAgent(host(address), answer::complete);
        return answer;
    }

    private static Answer answer(SshSoftFence fence, String address) throws Exception {
        return ask(fence, address).get(50, TimeUnit.SECONDS);
    }

    private static HostDefinition host(String address) {
        return new HostDefinition(new HostId(new UUID(1, 1)), "alpha", address, 54321);
    }
}

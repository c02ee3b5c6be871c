package org.stillwater.server.fence;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.fence.SoftFence;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.server.fence.BoundedProcess.Ended;
import org.stillwater.server.settings.SshFenceSettings;

/**
 * Restarts agents by the OpenSSH client. The command is fixed, the host must be known by its key,
 * the only way to log in is the named key, without prompts: neither the user's nor the system's
 * configuration of SSH is used. Thread-safe.
 */
public final class SshSoftFence implements SoftFence, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SshSoftFence.class);

    /** Command that is run on the host. */
    static final List<String> COMMAND = List.of("systemctl", "restart", "vdsmd");

    /** Exit code of ssh(1) when it ran no command, or lost the connection. */
    private static final int SSH_FAILED = 255;

    private final SshFenceSettings settings;
    private final Semaphore free;
    private final Set<BoundedProcess> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** A fence by these settings, which name identity and known hosts. */
    public SshSoftFence(SshFenceSettings settings) {
        this.settings = settings;
        this.free = new Semaphore(settings.atOnce());
    }

    @Override
    public int atOnce() {
        return settings.atOnce();
    }

    @Override
    public void restartAgent(HostDefinition host, Consumer<Answer> receiver) {
        if (!free.tryAcquire()) {
            receiver.accept(new Answer.Failed(settings.atOnce() + " other restarts are under way"));
            return;
        }
        Thread.ofVirtual()
                .name("soft-fence-" + host.name())
                .start(() -> {
                    Answer answer;
                    try {
                        answer = restart(host);
                    } catch (RuntimeException | Error e) {
                        // An error as well: a caller that waits for an answer would never end.
                        LOG.warn("host={} restart of its agent failed", host.name(), e);
                        answer = new Answer.Failed("the restart failed: " + e);
                    } finally {
                        free.release();
                    }
                    receiver.accept(answer);
                });
    }

    private Answer restart(HostDefinition host) {
        BoundedProcess process;
        try {
            process = BoundedProcess.start(command(host));
        } catch (IOException e) {
            return new Answer.Failed("SSH cannot be run: " + e.getMessage());
        }
        underWay.add(process);
        try {
            if (closed) {
                process.kill();
            }
            return judged(process.await(settings.timeLimit()));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new Answer.Failed("interrupted");
        } finally {
            underWay.remove(process);
        }
    }

    private Answer judged(Ended ended) {
        if (!ended.inTime()) {
            return new Answer.Failed(
                    "the restart took more than %d s and was given up%s"
                            .formatted(
                                    settings.timeLimit().toSeconds(),
                                    FenceAgentOutput.told(ended.output())));
        }
        return switch (ended.exitCode()) {
            case 0 -> new Answer.Restarted();
            case SSH_FAILED ->
                    new Answer.Failed(
                            "SSH did not get through" + FenceAgentOutput.told(ended.output()));
            default ->
                    new Answer.Failed(
                            "\"%s\" ended with code %d%s"
                                    .formatted(
                                            String.join(" ", COMMAND),
                                            ended.exitCode(),
                                            FenceAgentOutput.told(ended.output())));
        };
    }

    /** The program and its arguments. */
    List<String> command(HostDefinition host) {
        return Stream.of(
                        List.of(settings.program()),
                        options(),
                        // An address of any form is no option.
                        List.of("--", host.address()),
                        COMMAND)
                .flatMap(List::stream)
                .toList();
    }

    private List<String> options() {
        return List.of(
                "-F",
                "none",
                "-T",
                "-n",
                "-l",
                settings.user(),
                "-p",
                Integer.toString(settings.port()),
                "-o",
                "BatchMode=yes",
                "-o",
                "StrictHostKeyChecking=yes",
                "-o",
                "UserKnownHostsFile=" + Objects.requireNonNull(settings.knownHosts()),
                "-o",
                "GlobalKnownHostsFile=none",
                "-o",
                "UpdateHostKeys=no",
                "-o",
                "IdentityFile=" + Objects.requireNonNull(settings.identity()),
                "-o",
                "IdentitiesOnly=yes",
                "-o",
                "IdentityAgent=none",
                "-o",
                "PreferredAuthentications=publickey",
                "-o",
                "ForwardAgent=no",
                "-o",
                "ClearAllForwardings=yes",
                "-o",
                "ControlPath=none",
                "-o",
                "ConnectionAttempts=1",
                "-o",
                "ConnectTimeout=" + settings.connectTimeout().toSeconds(),
                "-o",
                "ServerAliveInterval=" + aliveInterval(settings.connectTimeout()).toSeconds(),
                "-o",
                "ServerAliveCountMax=1",
                "-o",
                "LogLevel=ERROR");
    }

    /** A host that stops answering is noticed as soon as one that never did. */
    private static Duration aliveInterval(Duration connectTimeout) {
        return Duration.ofSeconds(Math.max(1, connectTimeout.toSeconds() / 2));
    }

    /** Kills the restarts under way. Idempotent. */
    @Override
    public void close() {
        closed = true;
        underWay.forEach(BoundedProcess::kill);
    }
}

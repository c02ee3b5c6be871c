package org.stillwater.server.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Restarting the agents of silent hosts over SSH. The command is no setting.
 *
 * @param enabled whether it is done at all; needs identity and known-hosts
 * @param program the OpenSSH client: a path, or a name looked up in PATH
 * @param identity file with the private key that hosts accept, not encrypted
 * @param knownHosts file with the host keys; a host that is not in it, or has another key, is not
 *     spoken to
 * @param user login name
 * @param port TCP port of SSH on hosts
 * @param connectTimeout longest wait for a connection and the host's greeting
 * @param timeLimit longest that one attempt may take in all; its process is killed then
 * @param atOnce attempts under way at the same time, over all hosts
 */
@ConfigurationProperties("stillwater.fencing.ssh")
public record SshFenceSettings(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("ssh") String program,
        @Nullable Path identity,
        @Nullable Path knownHosts,
        @DefaultValue("root") String user,
        @DefaultValue("22") int port,
        @DefaultValue("10s") Duration connectTimeout,
        @DefaultValue("2m") Duration timeLimit,
        @DefaultValue("4") int atOnce) {

    /** POSIX's portable names, as useradd(8) takes them: nothing that SSH could misread. */
    private static final Pattern USER = Pattern.compile("[a-z_][a-z0-9_-]{0,31}");

    /**
     * Excludes characters with a meaning in file names of ssh_config(5): quotes, spaces, tokens,
     * variables, ~.
     */
    private static final Pattern PLAIN = Pattern.compile("[^\\s\"'%$~\\\\\\p{Cntrl}]+");

    public SshFenceSettings {
        Checks.require(
                !enabled || (identity != null && knownHosts != null),
                "fencing.ssh",
                "enabled with both identity and known-hosts",
                "without");
        Checks.require(!program.isBlank(), "fencing.ssh.program", "a program", "empty");
        plain("fencing.ssh.identity", identity);
        plain("fencing.ssh.known-hosts", knownHosts);
        Checks.require(USER.matcher(user).matches(), "fencing.ssh.user", "a plain user name", user);
        Checks.number("fencing.ssh.port", port, 1, 65_535);
        Checks.duration(
                "fencing.ssh.connect-timeout",
                connectTimeout,
                Duration.ofSeconds(1),
                Duration.ofMinutes(5));
        Checks.duration(
                "fencing.ssh.time-limit", timeLimit, connectTimeout, Duration.ofMinutes(10));
        Checks.number("fencing.ssh.at-once", atOnce, 1, 100);
    }

    private static void plain(String name, @Nullable Path file) {
        if (file != null) {
            Checks.require(
                    file.isAbsolute() && PLAIN.matcher(file.toString()).matches(),
                    name,
                    "an absolute path without spaces, quotes, %, $, ~ and backslashes",
                    file.toString());
        }
    }
}

package org.stillwater.cli;

import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Address of the engine and login of a command: options, then the environment, then the engine that
 * the launcher has found on this machine. No option takes a password, because other users of the
 * machine see the options of a program.
 */
final class Connection {

    /** Default address of {@code ./stillwater run}. */
    private static final String USUAL_URL = "https://localhost:8443";

    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(60);
    private static final int LONGEST_SECRET = 64 << 10;
    private static final int MOST_PORT = 65_535;
    private static final Set<PosixFilePermission> OF_OTHERS =
            Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "The engine (default: STILLWATER_URL, else the demo or engine that runs on"
                            + " this machine).")
    private @Nullable String url;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "User name, such as admin@internal (default: STILLWATER_USER).")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description =
                    "The first line is the user's password (default: STILLWATER_PASSWORD_FILE,"
                            + " else STILLWATER_PASSWORD, else the terminal is asked).")
    private @Nullable String passwordFile;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "The first line is a token, in place of user and password (default:"
                            + " STILLWATER_TOKEN_FILE, else STILLWATER_TOKEN).")
    private @Nullable String tokenFile;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description =
                    "Authorities in PEM that may sign the engine's certificate (default:"
                            + " STILLWATER_CA, else those that Java trusts).")
    private @Nullable String ca;

    @Option(
            names = "--timeout",
            paramLabel = "SPAN",
            description = "How long an answer may take, such as 90s (default: 60s).")
    private @Nullable String timeout;

    /** The engine, not yet connected. */
    Engine engine() {
        CommandEnvironment here = CommandEnvironment.of(command());
        Map<String, String> environment = here.environment();
        String address = first(url, environment.get("STILLWATER_URL"), here.foundUrl());
        if (address != null && address.equals(here.foundUrl()) && address.strip().contains(" ")) {
            throw new Trouble(
                    Exit.USAGE,
                    "several engines run on this machine: choose one with --url: " + address);
        }
        URI checked = address(address == null ? USUAL_URL : address);
        boolean secured = "https".equals(checked.getScheme());
        String authorities =
                first(
                        ca,
                        environment.get("STILLWATER_CA"),
                        address == null || address.equals(here.foundUrl()) ? here.foundCa() : null);
        String authorization = authorization(here, environment);
        if (authorization != null && !secured && !isHere(checked)) {
            here.err()
                    .println(
                            "stillwater: "
                                    + checked
                                    + " uses no TLS: the network can read the login");
            here.err().flush();
        }
        return new Engine(
                checked,
                authorization,
                secured && authorities != null ? trusting(Path.of(authorities)) : null,
                timeout == null ? USUAL_TIMEOUT : span(timeout));
    }

    private CommandSpec command() {
        if (command == null) {
            throw new IllegalStateException("not a part of a command");
        }
        return command;
    }

    private Duration span(String text) {
        try {
            Duration span = Texts.duration(text);
            if (span.isPositive()) {
                return span;
            }
        } catch (IllegalArgumentException _) {
            // refused below
        }
        throw new ParameterException(
                command().commandLine(), "--timeout is a time span such as 90s, not " + text);
    }

    private URI address(String text) {
        String plain = text.strip().replaceAll("/+$", "");
        try {
            URI address = URI.create(plain);
            boolean web = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
            if (web
                    && address.getHost() != null
                    && (address.getPort() == -1
                            || (address.getPort() > 0 && address.getPort() <= MOST_PORT))
                    && address.getUserInfo() == null
                    && address.getQuery() == null
                    && address.getFragment() == null) {
                return address;
            }
        } catch (IllegalArgumentException _) {
            // refused below
        }
        throw new ParameterException(
                command().commandLine(),
                "--url (or STILLWATER_URL) is an address such as https://engine.example:8443,"
                        + " without a user or password");
    }

    private static boolean isHere(URI address) {
        String host = address.getHost();
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }

    private @Nullable String authorization(
            CommandEnvironment here, Map<String, String> environment) {
        if (tokenFile != null && (user != null || passwordFile != null)) {
            throw new ParameterException(
                    command().commandLine(), "--token-file takes the place of --user; give one");
        }
        if (tokenFile != null) {
            return bearer(secret(here, tokenFile));
        }
        if (user == null) {
            String file = environment.get("STILLWATER_TOKEN_FILE");
            String token = file != null ? secret(here, file) : environment.get("STILLWATER_TOKEN");
            if (token != null && !token.isBlank()) {
                return bearer(token.strip());
            }
        }
        String name = first(user, environment.get("STILLWATER_USER"), null);
        if (name == null) {
            if (passwordFile != null) {
                throw new ParameterException(
                        command().commandLine(), "--password-file needs --user");
            }
            return null;
        }
        String login = name + ":" + password(here, environment, name);
        return "Basic "
                + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The header of a token, which has visible characters of ASCII only (RFC 6750, section 2.1).
     */
    private static String bearer(String token) {
        if (token.chars().anyMatch(each -> each <= ' ' || each >= 0x7f)) {
            throw new Trouble(
                    Exit.USAGE,
                    "the token has a blank, a line break or a character that is not of ASCII: give"
                            + " it as the engine printed it");
        }
        return "Bearer " + token;
    }

    private String password(CommandEnvironment here, Map<String, String> environment, String name) {
        String file = first(passwordFile, environment.get("STILLWATER_PASSWORD_FILE"), null);
        if (file != null) {
            return secret(here, file);
        }
        String password = environment.get("STILLWATER_PASSWORD");
        if (password != null) {
            return password;
        }
        Console console = CommandEnvironment.terminal();
        char[] typed =
                console == null
                        ? null
                        : console.readPassword("Password of %s: ", Texts.visible(name));
        if (typed == null) {
            throw new Trouble(
                    Exit.NOT_ALLOWED,
                    "no password of "
                            + name
                            + ": give --password-file or STILLWATER_PASSWORD_FILE, or run this in a"
                            + " terminal, which asks for it");
        }
        return new String(typed);
    }

    /** A failure in words: these two have a path as their message. */
    static @Nullable String why(Exception failure) {
        return switch (failure) {
            case NoSuchFileException _ -> "it does not exist";
            case AccessDeniedException _ -> "permission denied";
            default -> failure.getMessage();
        };
    }

    /** The first line of a file that only its owner should read. */
    private static String secret(CommandEnvironment here, String file) {
        Path path = Path.of(file);
        try (InputStream in = Files.newInputStream(path)) {
            if (Files.getFileStore(path).supportsFileAttributeView("posix")
                    && Files.isRegularFile(path)
                    && Files.getPosixFilePermissions(path).stream().anyMatch(OF_OTHERS::contains)) {
                here.err()
                        .println(
                                "stillwater: other users can read " + file + ": chmod 600 " + file);
                here.err().flush();
            }
            String text = new String(in.readNBytes(LONGEST_SECRET), StandardCharsets.UTF_8);
            String line = text.lines().findFirst().orElse("").strip();
            if (line.isEmpty()) {
                throw new Trouble(Exit.USAGE, file + " has no first line");
            }
            return line;
        } catch (IOException e) {
            throw new Trouble(Exit.USAGE, "cannot read " + file + ": " + why(e), e);
        }
    }

    private static SSLSocketFactory trusting(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            int number = 0;
            for (Certificate each :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca-" + number++, each);
            }
            if (number == 0) {
                throw new Trouble(Exit.USAGE, file + " has no certificate in PEM");
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (IOException | GeneralSecurityException e) {
            // The reader of certificates wraps the failure of the file.
            Exception failure = e.getCause() instanceof IOException cause ? cause : e;
            throw new Trouble(
                    Exit.USAGE, "cannot read authorities of " + file + ": " + why(failure), e);
        }
    }

    private static @Nullable String first(
            @Nullable String one, @Nullable String other, @Nullable String last) {
        return notBlank(one) ? one : notBlank(other) ? other : notBlank(last) ? last : null;
    }

    private static boolean notBlank(@Nullable String text) {
        return text != null && !text.isBlank();
    }
}

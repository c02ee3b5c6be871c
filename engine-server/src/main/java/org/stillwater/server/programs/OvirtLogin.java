package org.stillwater.server.programs;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.takeover.OvirtHttp;
import org.stillwater.server.takeover.OvirtReader;

/**
 * The address of an engine and the login there, by options. A password is in a file, never an
 * option.
 */
final class OvirtLogin {

    private OvirtLogin() {}

    /**
     * Logs in.
     *
     * @param prefix of the options: empty, or {@code engine-}
     * @throws Failed if the engine does not let us in
     */
    static OvirtHttp open(Arguments given, String prefix) throws Arguments.WrongUsage, Failed {
        URI url = url(required(given, "--" + prefix + "url"));
        String user = required(given, "--" + prefix + "user");
        Path file = Path.of(required(given, "--" + prefix + "password-file"));
        Path authority = given.file("--" + prefix + "ca");
        try {
            return OvirtHttp.login(url, user, password(file), authority);
        } catch (OvirtReader.NotRead e) {
            throw new Failed(url + ": " + e.getMessage(), e);
        }
    }

    private static URI url(String text) throws Arguments.WrongUsage {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException _) {
            throw new Arguments.WrongUsage(text + " is no address");
        }
    }

    private static String required(Arguments given, String option) throws Arguments.WrongUsage {
        @Nullable String value = given.value(option);
        if (value == null || value.isBlank()) {
            throw new Arguments.WrongUsage(option + " is missing");
        }
        return value;
    }

    private static String password(Path file) throws Failed {
        String password;
        try {
            password = Files.readString(file).strip();
        } catch (IOException e) {
            throw new Failed("cannot read the password in " + file + ": " + e, e);
        }
        if (password.isEmpty()) {
            throw new Failed("there is no password in " + file);
        }
        return password;
    }
}

package org.stillwater.server.wiring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.configuration.SettingsTable;

/**
 * Refuses the start with an unknown setting {@code stillwater.…} on the command line, in a file or
 * in a credential: misspelt, it would leave the default in force. The same holds for an argument
 * that is no option, such as {@code stillwater.cycle.interval=5s}. The environment and the JVM's
 * properties have names for others too, such as {@code STILLWATER_HOME}, and are not looked at.
 */
final class UnknownSettings implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

    private final SettingsTable table = SettingsTable.own();

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        for (String argument : event.getArgs()) {
            if (!argument.startsWith("--")) {
                throw noOption(argument);
            }
        }
        check(event.getEnvironment());
    }

    /** The value is left out: it may be a secret. */
    private static StartRefused noOption(String argument) {
        int end = argument.indexOf('=');
        return new StartRefused(
                "The argument "
                        + (end < 0 ? argument : argument.substring(0, end) + "=…")
                        + " is no option.",
                argument.startsWith("-D")
                        ? "Write --name=value for settings, and options of Java before -jar."
                        : "Write --name=value for a setting, without spaces around the equals"
                                + " sign.",
                null);
    }

    private void check(ConfigurableEnvironment environment) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> all
                    && GivenSettings.isWritten(source)) {
                for (String name : all.getPropertyNames()) {
                    if (!known(name)) {
                        throw refused(name, GivenSettings.place(source, name));
                    }
                }
            }
        }
    }

    private StartRefused refused(String name, @Nullable String place) {
        String nearest = table.nearest(name);
        return new StartRefused(
                "There is no setting " + name + (place == null ? "." : " (" + place + ")."),
                (nearest == null ? "Correct its name" : "Write " + nearest)
                        + ", or leave it out. docs/reference/settings.md lists all settings;"
                        + " ./stillwater check-config finds every mistake at once.",
                null);
    }

    /** Whether it is a setting of the engine, or none of its affair. */
    boolean known(String name) {
        return table.known(name);
    }
}

package org.stillwater.server.systemd;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.stillwater.relay.systemd.UnixDatagrams;

/**
 * Replaces the log's lines on the console by entries of the journal, where systemd connected the
 * console to its journal. The first to run after the log was set up.
 */
final class JournalLog
        implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    /** Device and inode of the journal's stream; systemd sets it, and advises to compare it. */
    private static final String VARIABLE = "JOURNAL_STREAM";

    private static final Path JOURNAL = Path.of("/run/systemd/journal/socket");
    private static final Path OUTPUT = Path.of("/proc/self/fd/1");
    private static final String CONSOLE = "CONSOLE";

    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER + 1;
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        if (isStream(event.getEnvironment().getProperty(VARIABLE), OUTPUT)
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            attach(context, JOURNAL);
        }
    }

    /** Whether a file is the stream that the variable names. */
    static boolean isStream(@Nullable String variable, Path file) {
        if (variable == null || variable.isBlank()) {
            return false;
        }
        try {
            return variable.equals(
                    Files.getAttribute(file, "unix:dev")
                            + ":"
                            + Files.getAttribute(file, "unix:ino"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
            return false;
        }
    }

    /** Sends the lines to a journal instead of the console; without a socket nothing changes. */
    static void attach(LoggerContext context, Path journal) {
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        Appender<ILoggingEvent> console = root.getAppender(CONSOLE);
        JournalAppender appender;
        try {
            appender = new JournalAppender(new UnixDatagrams(journal.toString()), console);
        } catch (IOException e) {
            root.debug("The log stays on the console: {}", e.getMessage());
            return;
        }
        appender.setContext(context);
        appender.start();
        root.addAppender(appender);
        if (console != null) {
            boolean _ = root.detachAppender(console);
        }
    }
}

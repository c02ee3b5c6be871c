package org.stillwater.server.diagnostics;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The newest lines of the log, in memory: bounded in number and length. Thread-safe; a line costs
 * its text once.
 */
final class RecentLog extends AppenderBase<ILoggingEvent> {

    private final int most;
    private final int longest;
    private final Deque<String> lines = new ArrayDeque<>();
    private long dropped;

    /**
     * An empty log.
     *
     * @param most lines that are kept
     * @param longest characters of a line, with its stack
     */
    RecentLog(int most, int longest) {
        this.most = most;
        this.longest = longest;
        setName("recent");
    }

    /** Listens to everything that is logged. */
    void attach() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            setContext(context);
            start();
            context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(this);
        }
    }

    void detach() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            boolean _ = context.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender(this);
        }
        stop();
    }

    @Override
    protected void append(ILoggingEvent event) {
        String line =
                "%s %-5s [%s] %s: %s%s"
                        .formatted(
                                event.getInstant(),
                                event.getLevel(),
                                event.getThreadName(),
                                event.getLoggerName(),
                                event.getFormattedMessage(),
                                stack(event.getThrowableProxy()));
        String kept = line.length() > longest ? line.substring(0, longest) + "…" : line;
        synchronized (lines) {
            if (lines.size() == most) {
                lines.removeFirst();
                dropped++;
            }
            lines.addLast(kept);
        }
    }

    private static String stack(@Nullable IThrowableProxy failure) {
        return failure == null ? "" : "\n" + ThrowableProxyUtil.asString(failure);
    }

    /** The lines, oldest first. */
    String text() {
        synchronized (lines) {
            return (dropped == 0 ? "" : dropped + " older lines are not kept\n")
                    + String.join("\n", lines)
                    + "\n";
        }
    }
}

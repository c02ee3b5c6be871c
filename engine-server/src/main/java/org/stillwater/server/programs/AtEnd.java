package org.stillwater.server.programs;

/**
 * Work that is due when a signal, such as that of Ctrl-C, ends the program: no {@code finally} runs
 * then. Closing it withdraws the work. Thread-safe.
 */
final class AtEnd implements AutoCloseable {

    private final Thread hook;

    private AtEnd(Thread hook) {
        this.hook = hook;
    }

    /**
     * Makes work due.
     *
     * @param name of its thread
     * @throws Failed if the program is ending already; then the work is done
     */
    static AtEnd of(String name, Runnable work) throws Failed {
        Thread hook = new Thread(work, name);
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            work.run();
            throw new Failed("the program is ending", e);
        }
        return new AtEnd(hook);
    }

    @Override
    public void close() {
        try {
            boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // the program ends, and the work is under way
        }
    }
}

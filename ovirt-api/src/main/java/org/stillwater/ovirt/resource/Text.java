package org.stillwater.ovirt.resource;

import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.model.GraphicsConsole;

/** A body of another media type than the API's two: a file for a console's viewer. */
public record Text(String mediaType, String text) {

    static final String VIEWER = "application/x-virt-viewer";

    /** The same without a password, for callers that may only read the VM. */
    static Text viewer(GraphicsConsole console, String title) {
        return viewer(console, title, null);
    }

    /**
     * Settings that a viewer needs to open a console.
     *
     * @param password the console's password, null if none was set
     * @throws Refusal if the console is not open
     */
    public static Text viewer(GraphicsConsole console, String title, @Nullable String password) {
        if (console.address() == null) {
            throw new Refusal(
                    409, "Operation Failed", "The VM does not run, so its console is not open.");
        }
        StringBuilder file = new StringBuilder("[virt-viewer]\n");
        file.append("type=").append(console.protocol()).append('\n');
        file.append("host=").append(line(console.address())).append('\n');
        if (console.port() != null) {
            file.append("port=").append(console.port()).append('\n');
        }
        if (console.tlsPort() != null) {
            file.append("tls-port=").append(console.tlsPort()).append('\n');
        }
        if (password != null) {
            file.append("password=").append(line(password)).append('\n');
        }
        file.append("title=").append(line(title)).append(":%d\n");
        file.append("delete-this-file=1\nfullscreen=0\n");
        file.append("toggle-fullscreen=shift+f11\nrelease-cursor=shift+f12\n");
        return new Text(VIEWER, file.toString());
    }

    private static String line(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }
}

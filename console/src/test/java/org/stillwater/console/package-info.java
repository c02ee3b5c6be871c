/** Checks of the console's sources and of the files that the build makes of them. */
package org.stillwater.console;

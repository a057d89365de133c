package android.content.res;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;

/** What AndroidAssets.kt uses of Android's class, for a folder of assets. */
public final class AssetManager {
  private final File folder;

  public AssetManager(File folder) {
    this.folder = folder;
  }

  public InputStream open(String name) throws IOException {
    return new FileInputStream(new File(folder, name));
  }

  /** An asset that is not compressed lies in the middle of the app's file: here after 4 bytes of it. */
  public AssetFileDescriptor openFd(String name) throws IOException {
    if (!name.endsWith(".stored")) {
      throw new FileNotFoundException("it is probably compressed");
    }
    return new AssetFileDescriptor(new File(folder, name), 4);
  }
}

/** The widgets of neo-blessed are those of blessed. */
declare module 'neo-blessed' {
  import * as blessed from 'blessed';
  export default blessed;
}

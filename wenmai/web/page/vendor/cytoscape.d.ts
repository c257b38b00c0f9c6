export { default } from 'cytoscape';
